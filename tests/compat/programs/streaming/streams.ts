// README "Streaming", documentation "How to Stream Query Results".
import { once } from "node:events";
import { Writable } from "node:stream";
import type { StreamQueryStatistics } from "client";
import type { Context } from "../context.js";
import { Employee, type Order, type Product } from "../northwind.js";

export async function documentsOfAPrefix({ store, print }: Context) {
  const session = store.openSession();
  const stream = await session.advanced.stream<Product>("products/");
  for await (const { id, document, changeVector } of stream) print(id, document.Name, typeof changeVector);
}

export async function aPageOfAPrefix({ store, print }: Context) {
  const session = store.openSession();
  const stream = await session.advanced.stream<Product>("products/", { start: 2, pageSize: 2 });
  for await (const { id } of stream) print(id);
}

export async function resultsOfAQuery({ store, print }: Context) {
  const session = store.openSession();
  const query = session.query<Order>({ collection: "Orders" }).whereEquals("ShipTo.Country", "Norway");
  await query.all();
  let statistics: StreamQueryStatistics;
  const again = session.query<Order>({ collection: "Orders" }).whereEquals("ShipTo.Country", "Norway");
  const stream = await session.advanced.stream<Order>(again, (found) => (statistics = found));
  const ids: unknown[] = [];
  for await (const { document } of stream) ids.push(document.id);
  print(ids.sort(), statistics.totalResults);
}

export async function resultsOfARawQuery({ store, print }: Context) {
  const session = store.openSession();
  const query = session.advanced.rawQuery<Employee>("from Employees", Employee);
  const stream = await session.advanced.stream<Employee>(query);
  for await (const { id, document } of stream) print(id, document instanceof Employee, document.LastName);
}

export async function aProjection({ store, print }: Context) {
  const session = store.openSession();
  const query = session.advanced.rawQuery<{ Name: string }>("from Companies as c select { Name: c.Name }");
  for await (const { document } of await session.advanced.stream(query)) print(document.Name);
}

export async function streamedDocumentsAreNotTracked({ store, print }: Context) {
  const session = store.openSession();
  for await (const { id } of await session.advanced.stream<Product>("products/1"))
    print(id, session.advanced.isLoaded(id));
}

export async function aStreamOfEvents({ store, print }: Context) {
  const session = store.openSession();
  const stream = await session.advanced.stream<Product>("products/");
  const names: string[] = [];
  await new Promise<void>((resolve, reject) => {
    stream.on("data", ({ document }: { document: Product }) => names.push(document.Name));
    stream.on("error", reject);
    stream.on("end", resolve);
  });
  print(names);
}

export async function aStreamThroughAPipe({ store, print }: Context) {
  const session = store.openSession();
  const stream = await session.advanced.stream<Product>("products/");
  const ids: string[] = [];
  await new Promise<void>((resolve, reject) => {
    const sink = new Writable({
      objectMode: true,
      write(item: { id: string }, _encoding, done) {
        ids.push(item.id);
        done();
      },
    });
    stream.pipe(sink).on("finish", resolve).on("error", reject);
  });
  print(ids);
}

export async function aStreamIntoAnother({ store, print }: Context) {
  const session = store.openSession();
  const chunks: Uint8Array[] = [];
  const sink = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  const finished = once(sink, "finish");
  session.advanced.streamInto(session.query<Employee>({ collection: "Employees" }), sink);
  await finished;
  const lines = Buffer.concat(chunks).toString().trim().split("\n");
  print(lines.map((line) => JSON.parse(line).LastName));
}
