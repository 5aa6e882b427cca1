// Carries out a plan with one package, in a process and a database of its own.
import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { create, ravendb, remove, send } from "../../support/server.mjs";
import { CLIENTS } from "../build.mjs";
import { FILE, ID, INDEX } from "./world.mjs";

const CHILD = fileURLToPath(new URL("./child.mjs", import.meta.url));

const orders = ["Ann", "Bob", "Cid"].map((name, at) => ({
  name,
  total: 10 * at,
  tags: ["a", "b"],
  text: "the quick brown fox",
  date: "2026-01-01T00:00:00.000Z",
  place: { lat: 1, lng: 1 },
  lines: [{ quantity: at }],
  info: { a: 1 },
  supplier: "suppliers/1-A",
  "@metadata": { "@collection": "Orders", "Raven-Node-Type": "Order" },
}));
const documents = {
  ...Object.fromEntries(orders.map((order, at) => [`orders/${at + 1}-A`, order])),
  "orders/9-A": { ...orders[0], name: "Zoe" },
  "orders/7-A": orders[0],
  "Raven/Hilo/orders": { Max: 100, "@metadata": { "@collection": "@hilo" } },
  [FILE]: { a: 1, "@metadata": { "@collection": "Files" } },
  "suppliers/1-A": { name: "Sup", "@metadata": { "@collection": "Suppliers" } },
  "facets/1": { Facets: [{ FieldName: "name" }], "@metadata": { "@collection": "FacetSetups" } },
};
const index = {
  Name: INDEX,
  // Corax, the other engine, has no explanations.
  Configuration: { "Indexing.Static.SearchEngineType": "Lucene" },
  Maps: [
    "from o in docs.Orders select new { o.name, o.total, o.tags, o.text, o.date, place = CreateSpatialField(o.place.lat, o.place.lng) }",
  ],
  Fields: {
    name: { Suggestions: true, Storage: "Yes" },
    text: { Indexing: "Search", Storage: "Yes", TermVector: "WithPositionsAndOffsets" },
  },
};
const entries = [0, 1].map((hour) => ({
  Timestamp: `2026-01-01T0${hour}:00:00.000Z`,
  Values: [60 + hour],
  Tag: "watches/1",
}));

/** The state in which each package begins. */
async function fill(database) {
  const at = async (method, path, body) => {
    const { status, text } = await send(ravendb.url, method, `/databases/${database}${path}`, body);
    if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`);
  };
  await at("POST", "/admin/revisions/config", { Collections: { Orders: { Disabled: false } } });
  const put = Object.entries(documents).map(([Id, Document]) => ({
    Type: "PUT",
    Id,
    Document,
    ChangeVector: null,
  }));
  await at("POST", "/bulk_docs", { Commands: put });
  await at("POST", "/bulk_docs", {
    Commands: put.slice(0, 1).map((each) => ({ ...each, Document: { ...each.Document, total: 1 } })),
  });
  const spare = { Name: "Spare", Maps: ["from o in docs.Orders select new { o.name }"] };
  await at("PUT", "/admin/indexes", { Indexes: [index, spare] });
  await at("POST", "/counters", {
    Documents: [{ DocumentId: ID, Operations: [{ Type: "Increment", CounterName: "likes", Delta: 5 }] }],
  });
  await at("PUT", `/attachments?id=${FILE}&name=photo.png&contentType=image/png`, "bytes");
  const Increments = entries.map(({ Timestamp, Values }) => ({ Timestamp, Values }));
  for (const series of [
    { Name: "HeartRates", Appends: entries },
    { Name: "INC:Likes", Increments },
  ])
    await at("POST", `/timeseries?docId=${ID}`, series);
  await at("PUT", "/cmpxchg?key=usernames/ann&index=0", { Object: { name: "ann" } });
}

/** What each call comes to, by its key. */
export async function observe(client, plan) {
  const database = `names-${randomBytes(6).toString("hex")}`;
  await create(ravendb, database);
  try {
    await fill(database);
    const seen = new Map();
    await new Promise((resolve, reject) => {
      const child = fork(CHILD, [CLIENTS[client](), database], {
        stdio: ["ignore", "inherit", "inherit", "ipc"],
      });
      child.on("message", ({ key, ...result }) => seen.set(key, result));
      child.on("error", reject);
      child.on("exit", (code) =>
        code === 0 ? resolve() : reject(new Error(`${client} ended with ${code}`)),
      );
      child.send(plan);
    });
    return seen;
  } finally {
    for (const name of ["", "-new", "-built"]) await remove(ravendb, database + name);
  }
}
