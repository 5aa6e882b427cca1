// Compare-exchange values in cluster-wide sessions.
import {
  DeleteCompareExchangeValueOperation,
  GetCompareExchangeValueOperation,
  PutCompareExchangeValueOperation,
} from "client";
import { area, fails, failure, outcome } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: values of any shape
type Any = any;

class MyPlace {
  constructor(
    public street = "",
    public number = 0,
  ) {}

  text() {
    return `${this.street} ${this.number}`;
  }
}

const CLUSTER = { transactionMode: "ClusterWide" } as const;

/** What both packages say of a value, without its index, which differs from run to run. */
const said = (value: Any) => value && [value.key, value.value, value.index > 0];

export default area({
  "created, read, changed and deleted": async ({ open, observe, better, server }) => {
    const store = open();
    const stored = async (key: string) => {
      const { Results } = (await (await server.send("GET", `/cmpxchg?key=${key}`)).json()) as Any;
      return Results[0].Value;
    };
    const session = store.openSession(CLUSTER);
    const values = session.advanced.clusterTransaction;
    const made = values.createCompareExchangeValue("a/1", "one");
    observe("made", [made.key, made.value, made.index, made.hasMetadata()]);
    observe("nothing is sent", session.advanced.numberOfRequests);
    observe("changes of documents", session.advanced.hasChanges());
    observe("read before it is saved", (await values.getCompareExchangeValue("a/1")) === made);
    await session.store({ name: "one" }, "users/1");
    observe("saved", await outcome(() => session.saveChanges()));
    observe("requests", session.advanced.numberOfRequests);
    observe("the index", made.index > 0);
    observe("stored", await stored("a/1"));
    observe("with the document", await server.fields("users/1"));
    observe("nothing to save", await outcome(() => session.saveChanges()));
    observe("no request", session.advanced.numberOfRequests);

    const other = store.openSession(CLUSTER);
    const theirs = other.advanced.clusterTransaction;
    const got = (await theirs.getCompareExchangeValue<string>("a/1")) as Any;
    observe("in another session", said(got));
    observe("the same index", got.index === made.index);
    observe("without a vector", got.changeVector);
    observe("the same object again", (await theirs.getCompareExchangeValue("a/1")) === got);
    observe("in another case", (await theirs.getCompareExchangeValue("A/1")) === got);
    observe("one request", other.advanced.numberOfRequests);
    got.value = "two";
    observe("changes of documents again", other.advanced.hasChanges());
    observe("the change is saved", await outcome(() => other.saveChanges()));
    observe("stored then", await stored("a/1"));
    observe("its index", got.index > made.index);
    got.value = "three";
    observe("changed again", await outcome(() => other.saveChanges()));
    observe("stored at last", await stored("a/1"));

    theirs.deleteCompareExchangeValue(got);
    observe("read when it is to be deleted", await theirs.getCompareExchangeValue("a/1"));
    observe("deleted", await outcome(() => other.saveChanges()));
    observe("is gone", await store.operations.send(new GetCompareExchangeValueOperation("a/1")));
    // npm `ravendb` gives the value that was deleted.
    better("read when it is deleted", said(await theirs.getCompareExchangeValue("a/1")), {
      ravendb: ["a/1", "three", true],
      edge: null,
    });
  },

  "a value that does not exist": async ({ open, observe }) => {
    const session = open().openSession(CLUSTER);
    const values = session.advanced.clusterTransaction;
    observe("read", await values.getCompareExchangeValue("none"));
    observe("again", await values.getCompareExchangeValue("none"));
    observe("one request", session.advanced.numberOfRequests);
    observe("nothing to save", await outcome(() => session.saveChanges()));
    const made = values.createCompareExchangeValue("none", { a: 1 });
    observe("created", [made.key, made.value, made.index]);
    observe("saved", await outcome(() => session.saveChanges()));
    observe("read then", (await values.getCompareExchangeValue("none")) === made);
  },

  "deleted by key and index": async ({ open, observe, better }) => {
    const store = open();
    const { index } = await store.operations.send(new PutCompareExchangeValueOperation("d/1", "x", 0));
    const session = store.openSession(CLUSTER);
    const values = session.advanced.clusterTransaction;
    observe("returns", values.deleteCompareExchangeValue("d/1", index));
    observe("read", await values.getCompareExchangeValue("d/1"));
    observe("requests", session.advanced.numberOfRequests);
    observe("saved", await outcome(() => session.saveChanges()));
    observe("is gone", await store.operations.send(new GetCompareExchangeValueOperation("d/1")));
    // npm `ravendb` then has a value without a value, which its next save creates.
    const rest = await outcome(async () => said(await values.getCompareExchangeValue("d/1")));
    better("read again", rest, { ravendb: ["d/1", undefined, true], edge: null });
    const next = await store.operations.send(new PutCompareExchangeValueOperation("d/2", "x", 0));
    const late = store.openSession(CLUSTER);
    late.advanced.clusterTransaction.deleteCompareExchangeValue("d/2", next.index + 1_000);
    observe("with another index", await failure(() => late.saveChanges()));
    observe("is there", (await store.operations.send(new GetCompareExchangeValueOperation("d/2")))?.value);
  },

  several: async ({ open, observe }) => {
    const store = open();
    for (const key of ["s/a", "s/b", "s/c", "r/a"])
      await store.operations.send(new PutCompareExchangeValueOperation(key, { text: key } as Any, 0));
    const list = (found: Any) =>
      Object.entries(found).map(([key, each]: Any) => [key, each && [each.key, each.value.text]]);
    const session = store.openSession(CLUSTER);
    const values = session.advanced.clusterTransaction;
    observe("by keys", list(await values.getCompareExchangeValues<Any>(["s/a", "s/none", "r/a"])));
    observe("one request", session.advanced.numberOfRequests);
    const some = await values.getCompareExchangeValues<Any>(["s/a", "r/a"]);
    observe("known ones", [list(some), session.advanced.numberOfRequests]);
    observe("the same object", some["s/a"] === (await values.getCompareExchangeValue("s/a")));
    observe("known and unknown ones", list(await values.getCompareExchangeValues<Any>(["s/a", "s/b"])));
    observe("two requests", session.advanced.numberOfRequests);
    observe("no keys", await values.getCompareExchangeValues([]));
    observe("by prefix", list(await values.getCompareExchangeValues<Any>("s/")));
    observe("always a request", session.advanced.numberOfRequests);
    observe("a page", list(await values.getCompareExchangeValues<Any>("s/", undefined as Any, 1, 1)));
    observe("the rest", list(await values.getCompareExchangeValues<Any>("s/", undefined as Any, 2)));
    observe("no such prefix", await values.getCompareExchangeValues("zz/"));
    const page = (await values.getCompareExchangeValues<Any>("s/")) as Any;
    observe("the same objects", page["s/a"] === (await values.getCompareExchangeValue("s/a")));
    page["s/a"].value.text = "changed";
    page["s/c"].value.text = "changed, too";
    observe("changed and saved", await outcome(() => session.saveChanges()));
    const fresh = store.openSession(CLUSTER).advanced.clusterTransaction;
    observe("stored", list(await fresh.getCompareExchangeValues<Any>("s/")));
  },

  "values of each type": async ({ open, observe, server }) => {
    const store = open();
    const all: Record<string, Any> = {
      text: "t",
      empty: "",
      number: 7,
      fraction: 1.5,
      zero: 0,
      yes: true,
      no: false,
      nothing: null,
      list: [1, "a", { b: 2 }],
      object: { a: 1, deep: { b: [true, null] } },
      place: new MyPlace("Elm Street", 7),
    };
    const session = store.openSession(CLUSTER);
    for (const [name, value] of Object.entries(all))
      session.advanced.clusterTransaction.createCompareExchangeValue(`t/${name}`, value);
    observe("saved", await outcome(() => session.saveChanges()));
    const other = store.openSession(CLUSTER).advanced.clusterTransaction;
    for (const name of Object.keys(all)) {
      const { Results } = (await (await server.send("GET", `/cmpxchg?key=t/${name}`)).json()) as Any;
      observe(`stored ${name}`, Results[0].Value);
      observe(
        `read ${name}`,
        await outcome(async () => (await other.getCompareExchangeValue<Any>(`t/${name}`))?.value ?? null),
      );
    }
  },

  "members of a value": async ({ open, better }) => {
    const store = open();
    await store.operations.send(new PutCompareExchangeValueOperation("o/1", { left: 10 } as Any, 0));
    const session = store.openSession(CLUSTER);
    const got = await session.advanced.clusterTransaction.getCompareExchangeValue<Any>("o/1");
    if (got) got.value.left = 7;
    await session.saveChanges();
    const read = await store.operations.send(new GetCompareExchangeValueOperation<Any>("o/1"));
    // npm `ravendb` does not see a change inside a value that was read alone.
    better("a change is saved", read.value, { ravendb: { left: 10 }, edge: { left: 7 } });
  },

  "instances of classes": async ({ open, observe, better }) => {
    const store = open();
    const session = store.openSession(CLUSTER);
    session.advanced.clusterTransaction.createCompareExchangeValue("c/1", new MyPlace("Elm Street", 7));
    await session.saveChanges();
    const reading = store.openSession(CLUSTER);
    const values = reading.advanced.clusterTransaction;
    const got = (await values.getCompareExchangeValue<MyPlace>("c/1", MyPlace as Any)) as Any;
    observe("its members", [got.value.street, got.value.number]);
    // npm `ravendb` leaves the class out.
    better("is one", got.value instanceof MyPlace, { ravendb: false, edge: true });
    observe("is unchanged", [await outcome(() => reading.saveChanges()), reading.advanced.numberOfRequests]);
    got.value.number = 8;
    observe("is changed", [await outcome(() => reading.saveChanges()), reading.advanced.numberOfRequests]);
    const several = store.openSession(CLUSTER).advanced.clusterTransaction;
    const many = (await several.getCompareExchangeValues<MyPlace>(["c/1"], MyPlace as Any)) as Any;
    observe("members of several", [many["c/1"].value.street, many["c/1"].value.number]);
    better("of several", many["c/1"].value instanceof MyPlace, { ravendb: false, edge: true });
  },

  metadata: async ({ open, observe, better, server }) => {
    const store = open();
    const stored = async () =>
      ((await (await server.send("GET", "/cmpxchg?key=m/1")).json()) as Any).Results[0].Value;
    const session = store.openSession(CLUSTER);
    const made = session.advanced.clusterTransaction.createCompareExchangeValue("m/1", "x");
    made.metadata.mine = "yes";
    observe("there are some", made.hasMetadata());
    observe("saved", await outcome(() => session.saveChanges()));
    observe("stored", await stored());
    const other = store.openSession(CLUSTER);
    const got = (await other.advanced.clusterTransaction.getCompareExchangeValue<string>("m/1")) as Any;
    // npm `ravendb` does not read metadata in sessions, and removes them with the next change.
    better("read", got.hasMetadata(), { ravendb: false, edge: true });
    got.value = "y";
    await other.saveChanges();
    better("kept by a change", await stored(), {
      ravendb: { Object: "y" },
      edge: { Object: "y", "@metadata": { mine: "yes" } },
    });
  },

  "in other sessions": async ({ open, observe }) => {
    const session = open().openSession();
    observe("is refused", await outcome(async () => session.advanced.clusterTransaction));
    observe(
      "loads",
      await outcome(
        async () =>
          void (await session.load("none", { includes: (b: Any) => b.includeCompareExchangeValue("a") })),
      ),
    );
  },

  "arguments that make no sense": async ({ open, observe }) => {
    const session = open().openSession(CLUSTER);
    const values = session.advanced.clusterTransaction;
    const run = (what: () => unknown) => outcome(async () => what());
    observe("create without a key", await run(() => values.createCompareExchangeValue("", 1)));
    observe("read without a key", await outcome(() => values.getCompareExchangeValue("")));
    observe("delete without a key", await run(() => values.deleteCompareExchangeValue("", 1)));
    values.createCompareExchangeValue("w/1", 1);
    observe("created twice", await run(() => values.createCompareExchangeValue("w/1", 2)));
    observe("created and deleted", await run(() => values.deleteCompareExchangeValue("w/1", 2)));
    values.deleteCompareExchangeValue("w/2", 5);
    observe("deleted twice", await run(() => values.deleteCompareExchangeValue("w/2", 5)));
    observe("deleted and created", await run(() => values.createCompareExchangeValue("w/2", 1)));
    session.advanced.clear();
    const before = session.advanced.numberOfRequests;
    observe("nothing left", await outcome(() => session.saveChanges()));
    observe("no request", session.advanced.numberOfRequests - before);
    const made = values.createCompareExchangeValue("w/3", 1);
    await session.saveChanges();
    observe("created again", await run(() => values.createCompareExchangeValue(made.key, 2)));
  },

  conflicts: async ({ open, observe, better, server }) => {
    const store = open();
    const [one, two] = [store.openSession(CLUSTER), store.openSession(CLUSTER)];
    one.advanced.clusterTransaction.createCompareExchangeValue("x/1", "one");
    const mine = two.advanced.clusterTransaction.createCompareExchangeValue("x/1", "two");
    await two.store({ name: "two" }, "users/two");
    await one.saveChanges();
    observe("both create the same", await failure(() => two.saveChanges(), "x/1"));
    observe("no document", await server.fields("users/two"));
    observe(
      "the first stays",
      (await store.operations.send(new GetCompareExchangeValueOperation<string>("x/1"))).value,
    );
    observe("the index of the second", mine.index);
    // npm `ravendb` forgets the value, and saves the document alone.
    better("saved again", await failure(() => two.saveChanges(), "x/1"), {
      ravendb: { succeeded: undefined },
      edge: { error: "ClusterTransactionConcurrencyException", mentions: true },
    });
    const [three, four] = [store.openSession(CLUSTER), store.openSession(CLUSTER)];
    const theirs = (await three.advanced.clusterTransaction.getCompareExchangeValue<string>("x/1")) as Any;
    const late = (await four.advanced.clusterTransaction.getCompareExchangeValue<string>("x/1")) as Any;
    theirs.value = "three";
    late.value = "four";
    await three.saveChanges();
    observe("both change the same", await failure(() => four.saveChanges(), "x/1"));
    observe("the change stays in the session", late.value);
  },

  "atomic guards": async ({ open, observe, better }) => {
    const store = open();
    const session = store.openSession(CLUSTER);
    await session.store({ name: "guarded" }, "g/1");
    await session.saveChanges();
    const values = session.advanced.clusterTransaction;
    observe("read", await outcome(() => values.getCompareExchangeValue("rvn-atomic/g/1")));
    const guard = await store.operations.send(new GetCompareExchangeValueOperation<Any>("rvn-atomic/g/1"));
    observe("by an operation", [guard.key, guard.index > 0]);
    observe("by prefix", await outcome(() => values.getCompareExchangeValues("rvn-atomic/")));
    const none = "rvn-atomic/none";
    observe("one that does not exist", await values.getCompareExchangeValue(none));
    observe(
      "by keys",
      await store.openSession(CLUSTER).advanced.clusterTransaction.getCompareExchangeValues([none]),
    );
    const lazily = store.openSession(CLUSTER).advanced.clusterTransaction.lazily;
    observe("lazily", await lazily.getCompareExchangeValue<string>(none).getValue());
    const single = store.openSession();
    await single.store({ guard: none, "@metadata": { "@collection": "Users" } }, "g/2");
    await single.delete("g/1");
    await single.saveChanges();
    const including = store.openSession(CLUSTER);
    await including.load("g/2", { includes: (builder: Any) => builder.includeCompareExchangeValue("guard") });
    observe("included", await including.advanced.clusterTransaction.getCompareExchangeValue(none));

    // The guard of a document that a session without guards has deleted is still there.
    const again = store.openSession(CLUSTER);
    observe("the document is deleted", await again.load("g/1"));
    await again.store({ name: "again" }, "g/1");
    better("and stored again", await outcome(() => again.saveChanges()), {
      ravendb: undefined,
      edge: fails("ClusterTransactionConcurrencyException"),
    });
    const rest = await store.operations.send(new GetCompareExchangeValueOperation<Any>("rvn-atomic/g/1"));
    await store.operations.send(new DeleteCompareExchangeValueOperation("rvn-atomic/g/1", rest.index));
    const last = store.openSession();
    await last.delete("g/1");
    await last.saveChanges();
    const without = store.openSession(CLUSTER);
    await without.store({ name: "again" }, "g/1");
    observe("and once its guard is removed", await outcome(() => without.saveChanges()));
  },

  "documents with attachments, counters, time series": async ({ open, observe, better, server }) => {
    for (const at of [1, 2, 3]) await server.put(`beside/${at}`, { at }, "Beside");
    await server.send("PUT", "/attachments?id=beside/1&name=a", '"x"');
    const Operations = [{ Type: "Increment", CounterName: "likes", Delta: 1 }];
    await server.send("POST", "/counters", { Documents: [{ DocumentId: "beside/2", Operations }] });
    const Appends = [{ Timestamp: "2024-01-01T00:00:00.0000000Z", Values: [70] }];
    await server.send("POST", "/timeseries?docId=beside/3", { Name: "heart", Appends, Deletes: [] });
    const store = open();
    for (const [member, id] of Object.entries({
      "@attachments": "beside/1",
      "@counters": "beside/2",
      "@timeseries": "beside/3",
    })) {
      const session = store.openSession(CLUSTER);
      const document = (await session.load(id)) as Any;
      document.changed = true;
      better(`${member}: a change`, await outcome(() => session.saveChanges()), {
        ravendb: fails("RavenException"),
        edge: fails("NotSupportedException"),
      });
      observe(`${member}: nothing is lost`, (await server.document(id))["@metadata"][member].length);
      await session.delete(document);
      observe(`${member}: a deletion`, await outcome(() => session.saveChanges()));
    }
  },

  includes: async ({ open, observe }) => {
    const store = open();
    for (const key of ["i/1", "i/2"])
      await store.operations.send(new PutCompareExchangeValueOperation(key, `value of ${key}`, 0));
    const writing = store.openSession();
    const of = { "@metadata": { "@collection": "Users" } };
    await writing.store({ email: "i/1", other: "i/2", none: "i/none", ...of }, "iu/1");
    await writing.store({ email: "i/2", ...of }, "iu/2");
    await writing.saveChanges();
    const session = store.openSession(CLUSTER);
    const values = session.advanced.clusterTransaction;
    await session.load("iu/1", {
      includes: (builder: Any) =>
        builder.includeCompareExchangeValue("email").includeCompareExchangeValue("none"),
    });
    observe("of a load", said(await values.getCompareExchangeValue("i/1")));
    observe("one that does not exist", await values.getCompareExchangeValue("i/none"));
    observe("no more requests", session.advanced.numberOfRequests);
    observe("another one", said(await values.getCompareExchangeValue("i/2")));
    observe("needs one", session.advanced.numberOfRequests);

    const querying = store.openSession(CLUSTER);
    const theirs = querying.advanced.clusterTransaction;
    const query = querying
      .query<Any>({ collection: "Users" })
      .include((builder: Any) => builder.includeCompareExchangeValue("email"));
    observe("its text", `${query}`);
    observe("results", (await query.all()).length);
    const both = await theirs.getCompareExchangeValues(["i/1", "i/2"]);
    observe("of a query", Object.values(both).map(said));
    observe("no more requests then", querying.advanced.numberOfRequests);
    const got = both["i/1"] as Any;
    got.value = "changed";
    observe("changed and saved", await outcome(() => querying.saveChanges()));
    const raw = store.openSession(CLUSTER);
    await raw.advanced.rawQuery("from Users include cmpxchg('email')").all();
    observe("of a raw query", said(await raw.advanced.clusterTransaction.getCompareExchangeValue("i/1")));
    observe("without another request", raw.advanced.numberOfRequests);
  },

  lazily: async ({ open, observe, better }) => {
    const store = open();
    for (const key of ["l/1", "l/2"])
      await store.operations.send(new PutCompareExchangeValueOperation(key, key.toUpperCase(), 0));
    const session = store.openSession(CLUSTER);
    const { lazily } = session.advanced.clusterTransaction;
    const one = lazily.getCompareExchangeValue<string>("l/1");
    const none = lazily.getCompareExchangeValue<string>("l/none");
    const two = lazily.getCompareExchangeValues<string>(["l/2", "l/none"]);
    observe("nothing is sent", [session.advanced.numberOfRequests, one.isValueCreated()]);
    observe("a value", said(await one.getValue()));
    observe("one that does not exist", await none.getValue());
    observe(
      "several",
      Object.entries(await two.getValue()).map(([key, each]) => [key, said(each)]),
    );
    observe("one request", session.advanced.numberOfRequests);
    // npm `ravendb` does not track what is read lazily.
    const got = (await one.getValue()) as Any;
    better("is tracked", (await session.advanced.clusterTransaction.getCompareExchangeValue("l/1")) === got, {
      ravendb: false,
      edge: true,
    });
  },

  "sessions without tracking": async ({ open, observe }) => {
    const store = open();
    await store.operations.send(new PutCompareExchangeValueOperation("n/1", { a: 1 } as Any, 0));
    const session = store.openSession({ ...CLUSTER, noTracking: true });
    const values = session.advanced.clusterTransaction;
    const one = (await values.getCompareExchangeValue<Any>("n/1")) as Any;
    const two = (await values.getCompareExchangeValue<Any>("n/1")) as Any;
    observe("values", [one.value, two.value]);
    observe("different objects", one !== two);
    observe("requests", session.advanced.numberOfRequests);
  },
});
