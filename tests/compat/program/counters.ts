// Counters: `session.countersFor`, what a session knows of counters, includes.

import { CounterOperation, CountersBatchCommandData } from "client";
import { area, fails, outcome, type Server } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: arguments of any shape
type Any = any;

class Product {
  id?: string;
  constructor(public name = "") {}
}

/** The counters of a document as the server has them. */
async function counted(server: Server, id: string): Promise<unknown> {
  const { Counters } = await (await server.send("GET", `/counters?docId=${encodeURIComponent(id)}`)).json();
  return Object.fromEntries(Counters.map(({ CounterName, TotalValue }: Any) => [CounterName, TotalValue]));
}

/** A document with counters, made beside the client. */
async function prepared(server: Server, id: string, counters: Record<string, number>): Promise<void> {
  await server.put(id, { name: id }, "Products");
  await count(server, id, counters);
}

/** Increments counters beside the client. */
async function count(server: Server, id: string, counters: Record<string, number>): Promise<void> {
  const operations = Object.entries(counters).map(([CounterName, Delta]) => ({
    Type: "Increment",
    CounterName,
    Delta,
  }));
  const response = await server.send("POST", "/counters", {
    Documents: [{ DocumentId: id, Operations: operations }],
  });
  if (!response.ok) throw new Error(await response.text());
}

export default area({
  increments: async ({ open, observe, server }) => {
    await server.put("i/1", { name: "tea" }, "Products");
    const session = open().openSession();
    const counters = session.countersFor("i/1");
    observe("increment gives", counters.increment("Likes"));
    counters.increment("Likes", 4);
    counters.increment("Down", -3);
    counters.increment("Zero", 0);
    observe("nothing yet", await counted(server, "i/1"));
    observe("changes", session.advanced.hasChanges());
    observe("what changed", session.advanced.whatChanged());
    observe("the save", await outcome(() => session.saveChanges()));
    observe("one request", session.advanced.numberOfRequests);
    observe("no changes", session.advanced.hasChanges());
    observe("on the server", await counted(server, "i/1"));
    observe("known", [await counters.get("Likes"), await counters.get("likes"), await counters.get("Down")]);
    observe("still one request", session.advanced.numberOfRequests);
    counters.increment("LIKES");
    await session.saveChanges();
    observe("after the next save", await counters.get("Likes"));
    observe("two requests", session.advanced.numberOfRequests);
    observe("saved again", await outcome(() => session.saveChanges()));
    observe("nothing to send", session.advanced.numberOfRequests);
  },

  "with a new document": async ({ open, observe, better, server }) => {
    const session = open().openSession();
    const product = new Product("new");
    await session.store(product, "n/1");
    session.countersFor(product).increment("Views", 7);
    session.countersFor("n/1").increment("Likes");
    await session.saveChanges();
    observe("one request", session.advanced.numberOfRequests);
    observe("on the server", await counted(server, "n/1"));
    better(
      "the vector is current",
      session.advanced.getChangeVectorFor(product) === (await server.vector("n/1")),
      { ravendb: false, edge: true },
    );
    product.name = "changed";
    session.countersFor(product).increment("Views");
    observe("changed with it", await outcome(() => session.saveChanges()));
    observe("document", await server.fields("n/1"));
    observe("counters", await counted(server, "n/1"));
    observe("known", await session.countersFor(product).get("Views"));
  },

  "a missing document": async ({ open, observe, server }) => {
    const session = open().openSession();
    session.countersFor("m/none").increment("Likes");
    await session.store(new Product("with it"), "m/1");
    observe("the save", await outcome(() => session.saveChanges()));
    observe("nothing of it", await server.document("m/1"));
    observe("changes stay", session.advanced.hasChanges());
    await server.put("m/none", { n: 1 }, "Products");
    observe("saved again", await outcome(() => session.saveChanges()));
    observe("once", await counted(server, "m/none"));
    const reading = open().openSession();
    observe("get", await reading.countersFor("m/nothing").get("Likes"));
    observe("getAll", await reading.countersFor("m/nothing").getAll());
  },

  arguments: async ({ open, observe, better, server }) => {
    await server.put("a/1", { n: 1 }, "Products");
    const session = open().openSession();
    observe("no id", await outcome(() => session.countersFor("" as Any)));
    observe("a number", await outcome(() => session.countersFor(7 as Any)));
    observe("nothing", await outcome(() => session.countersFor(undefined as Any)));
    observe("another object", await outcome(() => session.countersFor({})));
    const counters = session.countersFor("a/1");
    for (const name of ["", "  ", null, undefined])
      observe(`increment ${name}.`, await outcome(() => counters.increment(name as Any)));
    for (const name of ["", " ", null])
      observe(`delete ${name}.`, await outcome(() => counters.delete(name as Any)));
    counters.increment("up");
    observe("deleted after an increment", await outcome(() => counters.delete("up")));
    counters.delete("down");
    observe("incremented after a deletion", await outcome(() => counters.increment("down")));
    observe("twice deleted", await outcome(() => counters.delete("down")));
    await session.saveChanges();
    observe("on the server", await counted(server, "a/1"));
    const other = open().openSession();
    const entity = (await other.load("a/1")) as object;
    await other.delete(entity);
    observe("of a deleted entity", await outcome(() => other.countersFor("a/1").increment("x")));
    observe("deleted with it", await outcome(() => other.countersFor("a/1").delete("x")));
    await other.saveChanges();
    // RavenDB cuts off the rest of 1.5.
    await server.put("a/2", { n: 1 }, "Products");
    const half = open().openSession();
    better("half", await outcome(() => half.countersFor("a/2").increment("h", 1.5)), {
      ravendb: undefined,
      edge: fails("InvalidArgumentException"),
    });
  },

  deletes: async ({ open, observe, server }) => {
    await prepared(server, "d/1", { Likes: 5, Views: 2 });
    const session = open().openSession();
    observe("read", await session.countersFor("d/1").get("Likes"));
    observe("delete gives", session.countersFor("d/1").delete("likes"));
    observe("requests", session.advanced.numberOfRequests);
    observe("before the save", await session.countersFor("d/1").get("Likes"));
    observe("asked again", session.advanced.numberOfRequests);
    session.countersFor("d/1").delete("None");
    observe("the save", await outcome(() => session.saveChanges()));
    observe("on the server", await counted(server, "d/1"));
    const reading = open().openSession();
    observe("gone", await reading.countersFor("d/1").get("Likes"));
    observe("the rest", await reading.countersFor("d/1").getAll());
    reading.countersFor("d/1").increment("Likes", 3);
    await reading.saveChanges();
    observe("begins at 0", await counted(server, "d/1"));
  },

  "the document is deleted by its id": async ({ open, observe, better, server }) => {
    await prepared(server, "di/1", { Likes: 5 });
    const session = open().openSession();
    await session.delete("di/1");
    observe("delete", await outcome(() => session.countersFor("di/1").delete("Likes")));
    // npm `ravendb` does not find the deletion, and sends both.
    better("the save", await outcome(() => session.saveChanges()), {
      ravendb: fails("DocumentDoesNotExistException"),
      edge: undefined,
    });
    observe("one request", session.advanced.numberOfRequests);
  },

  reads: async ({ open, observe, better, server }) => {
    await prepared(server, "r/1", { Likes: 5, Views: 12, Zero: 0 });
    const session = open().openSession();
    const counters = session.countersFor("r/1");
    observe("one", await counters.get("Likes"));
    observe("in other letter case", await counters.get("LIKES"));
    observe("one request", session.advanced.numberOfRequests);
    observe("none", await counters.get("None"));
    observe("two requests", session.advanced.numberOfRequests);
    observe("none again", await counters.get("None"));
    observe("not asked again", session.advanced.numberOfRequests);
    observe("zero", await counters.get("Zero"));
    better("zero again", await counters.get("Zero"), { ravendb: null, edge: 0 });
    observe("several", await counters.get(["Likes", "Views", "None2"]));
    observe("requests", session.advanced.numberOfRequests);
    observe("several again", await counters.get(["Views", "likes"]));
    observe("known", session.advanced.numberOfRequests);
    observe("no names", await counters.get([]));
    observe("all", Object.entries(await counters.getAll()).sort());
    observe("asked", session.advanced.numberOfRequests);
    observe("all again", Object.keys(await counters.getAll()).length);
    observe("known all", session.advanced.numberOfRequests);
    observe("not there", await counters.get("Other"));
    better("several not there", await counters.get(["Other", "Likes"]), {
      ravendb: { Other: null, Likes: 5 },
      edge: { Likes: 5 },
    });
    better("all without what is not there", await counters.getAll(), {
      ravendb: { Likes: 5, Other: null, Views: 12, Zero: 0 },
      edge: { Likes: 5, Views: 12, Zero: 0 },
    });
    observe("no request for what is not there", session.advanced.numberOfRequests);
    await count(server, "r/1", { Likes: 10 });
    observe("as it was", await counters.get("Likes"));
    observe("in another session", await open().openSession().countersFor("r/1").get("Likes"));
  },

  "all counters first": async ({ open, observe, server }) => {
    await prepared(server, "af/1", { B: 2, a: 1 });
    const session = open().openSession();
    observe("all", Object.entries(await session.countersFor("af/1").getAll()).sort());
    observe("one", await session.countersFor("af/1").get("A"));
    observe("none", await session.countersFor("af/1").get("c"));
    observe("several", await session.countersFor("af/1").get(["a", "B"]));
    observe("requests", session.advanced.numberOfRequests);
    session.countersFor("af/1").increment("c", 3);
    await session.saveChanges();
    observe("with the new one", Object.entries(await session.countersFor("af/1").getAll()).sort());
    observe("requests then", session.advanced.numberOfRequests);
    session.countersFor("af/1").delete("a");
    await session.saveChanges();
    observe("without the deleted one", Object.entries(await session.countersFor("af/1").getAll()).sort());
    observe("requests at last", session.advanced.numberOfRequests);
  },

  "a loaded document": async ({ open, observe, better, server }) => {
    await prepared(server, "l/1", { Likes: 5, Views: 2 });
    await server.put("l/2", { name: "none" }, "Products");
    const session = open().openSession();
    const product = (await session.load("l/1")) as object;
    const plain = (await session.load("l/2")) as object;
    observe("names", [...(session.advanced.getCountersFor(product) ?? [])].sort());
    observe("no names", session.advanced.getCountersFor(plain));
    observe("not of the session", await outcome(() => session.advanced.getCountersFor({})));
    const requests = session.advanced.numberOfRequests;
    const more = () => session.advanced.numberOfRequests - requests;
    observe("none", await session.countersFor(product).get("Other"));
    observe("without a request", more());
    better("none of several", await session.countersFor(product).get(["Other1", "Other2"]), {
      ravendb: { Other1: undefined, Other2: undefined },
      edge: {},
    });
    observe("still without", more());
    observe("none of none", [
      await session.countersFor(plain).getAll(),
      await session.countersFor(plain).get("x"),
    ]);
    observe("also without", more());
    observe("one", await session.countersFor(product).get("likes"));
    observe("one request", more());
    observe("all", Object.entries(await session.countersFor(product).getAll()).length);
    observe("two requests", more());
    observe("several", await session.countersFor("l/1").get(["Likes", "Views"]));
    observe("known", more());
    await count(server, "l/2", { Late: 1 });
    observe("as loaded", await session.countersFor(plain).get("Late"));
    await session.advanced.refresh(plain);
    observe("refreshed names", session.advanced.getCountersFor(plain));
  },

  "each counter of a loaded document": async ({ open, observe, server }) => {
    await prepared(server, "le/1", { One: 1, Two: 2 });
    const session = open().openSession();
    await session.load("le/1", Product);
    observe("one", await session.countersFor("le/1").get("One"));
    observe("two", await session.countersFor("le/1").get("Two"));
    observe("requests", session.advanced.numberOfRequests);
    observe("all", Object.entries(await session.countersFor("le/1").getAll()).sort());
    observe("all are known", session.advanced.numberOfRequests);
    observe(
      "of a class",
      [...(session.advanced.getCountersFor((await session.load("le/1")) as object) ?? [])].sort(),
    );
  },

  "without tracking": async ({ open, observe, better, server }) => {
    await prepared(server, "nt/1", { Likes: 5 });
    const session = open().openSession({ noTracking: true });
    observe("one", await session.countersFor("nt/1").get("Likes"));
    await count(server, "nt/1", { Likes: 1 });
    observe("asked again", await session.countersFor("nt/1").get("Likes"));
    observe("all", await session.countersFor("nt/1").getAll());
    observe("several", await session.countersFor("nt/1").get(["Likes"]));
    observe("requests", session.advanced.numberOfRequests);
    const load = () => session.load("nt/1", { includes: (i) => i.includeCounter("Likes") as Any });
    // npm `ravendb` throws an error without a name of its own.
    better("included", await outcome(load), {
      ravendb: fails("Error"),
      edge: fails("InvalidOperationException"),
    });
  },

  "clear, evict and delete": async ({ open, observe, server }) => {
    await prepared(server, "c/1", { Likes: 5 });
    const session = open().openSession();
    const product = (await session.load("c/1")) as object;
    await session.countersFor("c/1").get("Likes");
    await count(server, "c/1", { Likes: 1 });
    session.advanced.evict(product);
    observe("after evict", await session.countersFor("c/1").get("Likes"));
    await count(server, "c/1", { Likes: 1 });
    session.countersFor("c/1").increment("Likes", 100);
    session.advanced.clear();
    observe("no changes", session.advanced.hasChanges());
    observe("after clear", await session.countersFor("c/1").get("Likes"));
    await count(server, "c/1", { Likes: 1 });
    const again = (await session.load("c/1")) as object;
    await session.delete(again);
    observe("requests", session.advanced.numberOfRequests);
    await session.saveChanges();
    observe("deleted", await open().openSession().countersFor("c/1").getAll());
  },

  "deferred commands": async ({ open, observe, server }) => {
    await prepared(server, "dc/1", { Likes: 5 });
    const session = open().openSession();
    const operations = [
      CounterOperation.create("Likes", "Increment", 2),
      CounterOperation.create("New", "Increment", 3),
    ];
    const command = new CountersBatchCommandData("dc/1", operations);
    observe("members", [command.id, command.type, command.name, command.changeVector, command.fromEtl]);
    observe("operations", [
      command.hasIncrement("Likes"),
      command.hasIncrement("likes"),
      command.hasDelete("Likes"),
    ]);
    observe("as sent", command.serialize());
    observe("document", command.counters.documentId);
    session.advanced.defer(command);
    session.countersFor("dc/1").increment("Likes");
    observe("one command", command.counters.operations.length);
    observe("deleted after it", await outcome(() => session.countersFor("dc/1").delete("New")));
    await session.saveChanges();
    observe("known", [
      await session.countersFor("dc/1").get("Likes"),
      await session.countersFor("dc/1").get("New"),
    ]);
    observe("requests", session.advanced.numberOfRequests);
    observe("on the server", await counted(server, "dc/1"));
    observe("no id", await outcome(() => new CountersBatchCommandData("", operations)));
    observe("no operations", await outcome(() => new CountersBatchCommandData("dc/1", null as Any)));
    const one = new CountersBatchCommandData("dc/1", CounterOperation.create("Likes", "Delete"));
    observe("one operation", [one.serialize(), one.hasDelete("Likes")]);
  },

  "a save that fails": async ({ open, observe, server }) => {
    await prepared(server, "f/1", { Likes: 5 });
    await server.put("f/2", { name: "theirs" }, "Products");
    const session = open().openSession();
    const product = (await session.load("f/2")) as Any;
    session.advanced.useOptimisticConcurrency = true;
    await server.put("f/2", { name: "theirs again" }, "Products");
    product.name = "mine";
    session.countersFor("f/1").increment("Likes");
    observe("the save", await outcome(() => session.saveChanges()));
    observe("nothing of it", await counted(server, "f/1"));
    session.countersFor("f/1").increment("Likes", 2);
    await session.advanced.refresh(product);
    observe("again", await outcome(() => session.saveChanges()));
    observe("once", await counted(server, "f/1"));
  },

  "optimistic concurrency": async ({ open, observe, server }) => {
    await prepared(server, "oc/1", { Likes: 5 });
    const session = open().openSession();
    session.advanced.useOptimisticConcurrency = true;
    const product = (await session.load("oc/1")) as Any;
    session.countersFor(product).increment("Likes");
    await session.saveChanges();
    product.name = "after the counter";
    observe("the save", await outcome(() => session.saveChanges()));
    observe("document", await server.fields("oc/1"));
    observe("counters", await counted(server, "oc/1"));
  },

  "a cluster-wide transaction": async ({ open, observe, server }) => {
    await prepared(server, "cw/1", { Likes: 5 });
    const session = open().openSession({ transactionMode: "ClusterWide" });
    session.countersFor("cw/1").increment("Likes");
    observe("fails", (await outcome(() => session.saveChanges())) !== undefined);
    observe("nothing of it", await counted(server, "cw/1"));
  },
});
