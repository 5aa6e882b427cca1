// Counters that loads and queries include; operations on counters.

import {
  CounterBatch,
  CounterBatchOperation,
  CounterOperation,
  DocumentCountersOperation,
  GetCountersOperation,
} from "client";
import { area, fails, outcome, type Server } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: arguments of any shape
type Any = any;

async function prepared(
  server: Server,
  id: string,
  fields: object,
  counters: Record<string, number>,
): Promise<void> {
  await server.put(id, fields as Any, "Products");
  const operations = Object.entries(counters).map(([CounterName, Delta]) => ({
    Type: "Increment",
    CounterName,
    Delta,
  }));
  if (operations.length > 0)
    await server.send("POST", "/counters", { Documents: [{ DocumentId: id, Operations: operations }] });
}

const batchOf = (documentId: string, ...operations: CounterOperation[]): CounterBatch => {
  const document = new DocumentCountersOperation();
  document.documentId = documentId;
  document.operations = operations;
  const batch = new CounterBatch();
  batch.documents = [document];
  return batch;
};

export default area({
  "a load": async ({ open, observe, better, server }) => {
    await prepared(server, "l/1", { name: "a" }, { Likes: 5, Views: 2 });
    await prepared(server, "l/2", { name: "b" }, { Likes: 7 });
    const session = open().openSession();
    await session.load("l/1", { includes: (i) => i.includeCounter("Likes") as Any });
    observe("one", await session.countersFor("l/1").get("likes"));
    observe("one request", session.advanced.numberOfRequests);
    const second = open().openSession();
    await second.load(["l/1", "l/2"], {
      includes: (i) => i.includeCounters(["Likes", "Views", "None"]) as Any,
    });
    observe("several", [
      await second.countersFor("l/1").get(["Likes", "Views"]),
      await second.countersFor("l/2").get("Likes"),
      await second.countersFor("l/2").get("Views"),
      await second.countersFor("l/1").get("None"),
    ]);
    observe("one request for both", second.advanced.numberOfRequests);
    const third = open().openSession();
    await third.load("l/1", { includes: (i) => i.includeAllCounters() as Any });
    observe("all", Object.entries(await third.countersFor("l/1").getAll()).sort());
    observe("one of them", await third.countersFor("l/1").get("Views"));
    observe("one request for all", third.advanced.numberOfRequests);
    const fourth = open().openSession();
    await fourth.load("l/1");
    await fourth.load("l/1", { includes: (i) => i.includeCounter("Likes") as Any });
    observe("known before", fourth.advanced.numberOfRequests);
    observe("asked for then", [
      await fourth.countersFor("l/1").get("Likes"),
      fourth.advanced.numberOfRequests,
    ]);
    const fifth = open().openSession();
    await fifth.load("l/1");
    await fifth.load(["l/1", "l/2"], { includes: (i) => i.includeCounter("Likes") as Any });
    observe("one known before", [
      await fifth.countersFor("l/1").get("Likes"),
      await fifth.countersFor("l/2").get("Likes"),
      fifth.advanced.numberOfRequests,
    ]);
    const sixth = open().openSession();
    await sixth.countersFor("l/1").get("Views");
    // npm `ravendb` reads a member of null there.
    better(
      "after a get",
      await outcome(
        async () => void (await sixth.load("l/1", { includes: (i) => i.includeCounter("Likes") as Any })),
      ),
      {
        ravendb: fails("TypeError"),
        edge: undefined,
      },
    );
  },

  "a load with documents": async ({ open, observe, server }) => {
    await prepared(server, "o/1", { name: "o", customer: "c/1" }, { Likes: 5 });
    await prepared(server, "c/1", { name: "c" }, { Orders: 3 });
    const session = open().openSession();
    const order = (await session.load("o/1", {
      includes: (i) => i.includeDocuments("customer").includeCounter("Likes") as Any,
    })) as Any;
    observe("the customer", ((await session.load(order.customer)) as Any)?.name);
    observe("the counter", await session.countersFor(order).get("Likes"));
    observe("one request", session.advanced.numberOfRequests);
    observe(
      "no document",
      await open()
        .openSession()
        .load("o/none", { includes: (i) => i.includeCounter("Likes") as Any }),
    );
  },

  "a load beside a new document of the session": async ({ open, observe, server }) => {
    await prepared(server, "n/1", { name: "a", customer: "n/c" }, { Likes: 5 });
    await prepared(server, "n/c", { name: "c" }, {});
    const session = open().openSession();
    const made: Any = { name: "new", "@metadata": { "@collection": "Products" } };
    await session.store(made, "n/2");
    // What is included besides documents is included for all ids, so the new document is requested, too.
    const found: Any = await session.load(["n/2", "n/1", "n/3"], {
      includes: (i) => i.includeDocuments("customer").includeCounter("Likes") as Any,
    });
    observe("the new document is the session's", found["n/2"] === made);
    observe("the others", [found["n/1"]?.name, found["n/3"]]);
    observe("the counter", await session.countersFor("n/1").get("Likes"));
    observe("the customer", ((await session.load("n/c")) as Any)?.name);
    observe("one request", session.advanced.numberOfRequests);
    const alone = await session.load("n/2", { includes: (i) => i.includeCounter("Likes") as Any });
    observe("it alone", [alone === made, session.advanced.numberOfRequests]);
    made.name = "changed";
    observe("is still to be saved", [session.advanced.hasChanged(made), session.advanced.isLoaded("n/2")]);
    await session.saveChanges();
    observe("saved", await server.fields("n/2"));
    observe("and still there", (await session.load("n/2")) === made);
  },

  "builder errors": async ({ open, observe, server }) => {
    await prepared(server, "b/1", { name: "b" }, { Likes: 5 });
    const load = (includes: (i: Any) => void) =>
      outcome(async () => void (await open().openSession().load("b/1", { includes })));
    observe("no name", await load((i) => i.includeCounter("")));
    observe("no names", await load((i) => i.includeCounters(null)));
    observe("a blank name", await load((i) => i.includeCounters(["Likes", " "])));
    observe("all after one", await load((i) => i.includeCounter("Likes").includeAllCounters()));
    observe("one after all", await load((i) => i.includeAllCounters().includeCounter("Likes")));
    observe("twice all", await load((i) => i.includeAllCounters().includeAllCounters()));
    observe("twice one", await load((i) => i.includeCounter("Likes").includeCounter("likes")));
    observe("no such method", await load((i) => i.likes("Likes")));
  },

  "a query": async ({ open, observe, better, server }) => {
    await prepared(server, "q/1", { name: "a", rank: 1, other: "q/2" }, { Likes: 5, Views: 2, Zero: 0 });
    await prepared(server, "q/2", { name: "b", rank: 2, other: "q/2" }, { Likes: 7 });
    const query = (session: Any) =>
      session
        .query({ collection: "Products" })
        .waitForNonStaleResults()
        .whereGreaterThan("rank", 0)
        .orderBy("name");
    const session = open().openSession();
    observe(
      "text",
      query(session)
        .include((i: Any) => i.includeCounter("Likes"))
        .toString(),
    );
    await query(session)
      .include((i: Any) => i.includeCounter("Likes"))
      .all();
    observe("one", [
      await session.countersFor("q/1").get("Likes"),
      await session.countersFor("q/2").get("likes"),
    ]);
    observe("one request", session.advanced.numberOfRequests);
    const second = open().openSession();
    observe(
      "text of several",
      query(second)
        .include((i: Any) => i.includeCounters(["Likes", "None"]))
        .toString(),
    );
    await query(second)
      .include((i: Any) => i.includeCounters(["Likes", "None"]))
      .all();
    observe("several", [
      await second.countersFor("q/1").get("Likes"),
      await second.countersFor("q/1").get("None"),
    ]);
    observe("one request for several", second.advanced.numberOfRequests);
    const third = open().openSession();
    observe(
      "text of all",
      query(third)
        .include((i: Any) => i.includeAllCounters())
        .toString(),
    );
    await query(third)
      .include((i: Any) => i.includeAllCounters())
      .all();
    better("all", Object.entries(await third.countersFor("q/1").getAll()).sort(), {
      ravendb: [
        ["Likes", 5],
        ["Views", 2],
      ],
      edge: [
        ["Likes", 5],
        ["Views", 2],
        ["Zero", 0],
      ],
    });
    observe("one request for all", third.advanced.numberOfRequests <= 2);
    const fourth = open().openSession();
    await query(fourth)
      .include((i: Any) => i.includeCounter("other", "Likes"))
      .all();
    observe("of another document", await fourth.countersFor("q/2").get("Likes"));
    observe("requests", fourth.advanced.numberOfRequests);
    observe("of the document itself", await fourth.countersFor("q/1").get("Likes"));
    const fifth = open().openSession();
    await query(fifth)
      .include((i: Any) => i.includeDocuments("other").includeAllCounters("other"))
      .all();
    observe("all of another document", await fifth.countersFor("q/2").getAll());
    observe("all requests", fifth.advanced.numberOfRequests);
  },

  "raw, lazy and untracked queries": async ({ open, observe, better, server }) => {
    await prepared(server, "raw/1", { name: "raw", rank: 1 }, { Likes: 5 });
    const session = open().openSession();
    await session.advanced
      .rawQuery("from Products where name = 'raw' include counters('Likes')")
      .waitForNonStaleResults()
      .all();
    observe("raw", [await session.countersFor("raw/1").get("Likes"), session.advanced.numberOfRequests]);
    const lazy = open().openSession();
    const found = (lazy.query({ collection: "Products" }) as Any)
      .whereEquals("name", "raw")
      .include((i: Any) => i.includeCounter("Likes"))
      .lazily();
    observe("lazy results", (await found.getValue()).length);
    observe("lazy", [await lazy.countersFor("raw/1").get("Likes"), lazy.advanced.numberOfRequests]);
    const untracked = open().openSession();
    await (untracked.query({ collection: "Products" }) as Any)
      .whereEquals("name", "raw")
      .noTracking()
      .include((i: Any) => i.includeCounter("Likes"))
      .all();
    observe("untracked", [
      await untracked.countersFor("raw/1").get("Likes"),
      untracked.advanced.numberOfRequests,
    ]);
    const none = open().openSession({ noTracking: true });
    const products = none.query({ collection: "Products" }) as Any;
    const untrackedSession = () => products.include((i: Any) => i.includeCounter("Likes")).all();
    better("session without tracking", await outcome(untrackedSession), {
      ravendb: fails("Error"),
      edge: fails("InvalidOperationException"),
    });
  },

  operations: async ({ open, observe, server }) => {
    await prepared(server, "op/1", { name: "op" }, { Likes: 5, Views: 2 });
    const { operations } = open();
    const get = async (...given: [names?: string | string[], full?: boolean]) =>
      (await operations.send(new GetCountersOperation("op/1", ...(given as [Any, Any])))).counters;
    observe("one", await get("Likes"));
    observe("several", await get(["Likes", "views", "None"]));
    observe("twice the same", await get(["Likes", "Likes"]));
    const odd = async (names: unknown[]) =>
      ((await get(names as string[])) as Any[]).map((found) => found?.counterName ?? null);
    observe("null among them", await odd(["Likes", null, "views", null]));
    observe("holes among them", [
      await odd(Object.assign(new Array(3), { 1: "Likes" })),
      await odd(new Array(2)),
    ]);
    observe(
      "all",
      ((await get()) as Any[]).map(({ counterName, totalValue }) => [counterName, totalValue]).sort(),
    );
    observe("none", await get("None"));
    const [full] = (await get("Likes", true)) as Any[];
    observe("by node", [Object.keys(full).sort(), Object.values(full.counterValues)]);
    const many = Array.from({ length: 80 }, (_, at) => `a counter with a long name ${at}`);
    observe("in a body", [...(await get([...many, "Likes"])).filter(Boolean)]);
    observe("no document", (await operations.send(new GetCountersOperation("op/none"))).counters);
    observe("no id", await outcome(() => operations.send(new GetCountersOperation(""))));
    observe("no batch", await outcome(() => operations.send(new CounterBatchOperation(null as Any))));
  },

  batches: async ({ open, observe, server }) => {
    await prepared(server, "ba/1", { name: "ba" }, { Likes: 5 });
    const { operations } = open();
    const send = async (batch: CounterBatch) =>
      (await operations.send(new CounterBatchOperation(batch))).counters;
    const batch = batchOf(
      "ba/1",
      CounterOperation.create("Likes", "Increment", 2),
      CounterOperation.create("New", "Increment", 4),
      CounterOperation.create("Likes", "Get"),
      CounterOperation.create("None", "Get"),
      CounterOperation.create("Nothing", "Delete"),
    );
    observe("as sent", batch.serialize());
    observe("result", await send(batch));
    observe("deleted", await send(batchOf("ba/1", CounterOperation.create("New", "Delete"))));
    observe(
      "a missing document",
      await outcome(() => send(batchOf("ba/none", CounterOperation.create("x", "Increment", 1)))),
    );
    const values = batchOf("ba/1", CounterOperation.create("Likes", "Get"));
    values.replyWithAllNodesValues = true;
    observe("by node", Object.values(((await send(values)) as Any[])[0].counterValues));
    observe("put", await send(batchOf("ba/1", CounterOperation.create("Put", "Put", 9))));
    const session = open().openSession();
    observe("seen by a session", await session.countersFor("ba/1").getAll());
    const operation = CounterOperation.create("A", "Increment", 3);
    operation.changeVector = "A:1";
    observe("an operation", [
      operation.type,
      operation.counterName,
      operation.delta,
      operation.changeVector,
      operation.serialize(),
    ]);
  },
});
