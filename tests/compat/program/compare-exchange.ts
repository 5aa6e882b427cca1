// Compare-exchange values by operations.
import {
  DeleteCompareExchangeCommandData,
  DeleteCompareExchangeValueOperation,
  GetCompareExchangeValueOperation,
  GetCompareExchangeValuesOperation,
  PutCompareExchangeCommandData,
  PutCompareExchangeValueOperation,
} from "client";
import { area, fails, outcome } from "./harness.js";

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

/** What both packages say of a result, without indexes, which differ from run to run. */
const said = ({ value, index, successful }: Any) => ({ value, successful, index: index > 0 });

export default area({
  "set, read and deleted": async ({ open, observe, better }) => {
    const { operations } = open();
    const put = await operations.send(new PutCompareExchangeValueOperation("a/1", "one", 0));
    observe("put", said(put));
    const got = (await operations.send(new GetCompareExchangeValueOperation<string>("a/1"))) as Any;
    observe("key and value", [got.key, got.value]);
    observe("the same index", got.index === put.index);
    observe("metadata", got.hasMetadata());
    const again = await operations.send(new PutCompareExchangeValueOperation("a/1", "two", 0));
    observe("put of another", said(again));
    observe("the index in the way", again.index === put.index);
    const next = await operations.send(new PutCompareExchangeValueOperation("a/1", "three", put.index));
    observe("put with the index", said(next));
    observe("a new index", next.index > put.index);
    const stale = await operations.send(new DeleteCompareExchangeValueOperation<string>("a/1", put.index));
    observe("delete with an old index", said(stale));
    const gone = await operations.send(new DeleteCompareExchangeValueOperation<string>("a/1", next.index));
    observe("delete", said(gone));
    observe("is gone", await operations.send(new GetCompareExchangeValueOperation("a/1")));
    // npm `ravendb` does not expect the response to the deletion of a value that does not exist.
    const none = new DeleteCompareExchangeValueOperation<string>("a/1", next.index);
    better("delete again", await outcome(async () => said(await operations.send(none))), {
      ravendb: fails("RavenException"),
      edge: { value: null, successful: false, index: false },
    });
  },

  "values of each type": async ({ open, observe, server }) => {
    const { operations } = open();
    const values: Record<string, unknown> = {
      text: "t",
      empty: "",
      number: 7,
      fraction: 1.5,
      zero: 0,
      yes: true,
      no: false,
      list: [1, "a", { b: 2 }],
      object: { a: 1, deep: { b: [true, null] } },
    };
    for (const [name, value] of Object.entries(values)) {
      const put = await operations.send(new PutCompareExchangeValueOperation<unknown>(`t/${name}`, value, 0));
      observe(`put ${name}`, [put.value, put.successful]);
      const got = await operations.send(new GetCompareExchangeValueOperation<Any>(`t/${name}`));
      observe(`get ${name}`, got.value);
      const stored = (await (await server.send("GET", `/cmpxchg?key=t/${name}`)).json()) as Any;
      observe(`stored ${name}`, stored.Results[0].Value);
    }
  },

  "instances of classes": async ({ open, observe }) => {
    const { operations } = open();
    await operations.send(new PutCompareExchangeValueOperation("c/1", new MyPlace("Elm Street", 7), 0));
    const got = await operations.send(new GetCompareExchangeValueOperation<MyPlace>("c/1", MyPlace as Any));
    observe("is one", got.value instanceof MyPlace);
    observe("its method", got.value.text());
    const plain = await operations.send(new GetCompareExchangeValueOperation<Any>("c/1"));
    observe("without a class", [plain.value.street, plain.value.number]);
    const many = await operations.send(
      new GetCompareExchangeValuesOperation<MyPlace>({ keys: ["c/1"], clazz: MyPlace as Any }),
    );
    observe("of several", many["c/1"]?.value instanceof MyPlace);
  },

  "several at once": async ({ open, observe }) => {
    const { operations } = open();
    for (const key of ["s/a", "s/b", "s/c", "r/a"])
      await operations.send(new PutCompareExchangeValueOperation(key, key.toUpperCase(), 0));
    const values = async (parameters: Any) => {
      const found = await operations.send(new GetCompareExchangeValuesOperation<string>(parameters));
      return Object.entries(found).map(([key, each]) => [key, each.key, each.value, each.index > 0]);
    };
    observe("by keys", await values({ keys: ["s/b", "r/a"] }));
    observe("one key", await values({ keys: ["s/b"] }));
    observe("with one that is missing", await outcome(() => values({ keys: ["s/b", "s/none"] })));
    observe("by prefix", await values({ startWith: "s/" }));
    observe("a page", await values({ startWith: "s/", start: 1, pageSize: 1 }));
    observe("the rest", await values({ startWith: "s/", start: 2 }));
    observe("no such prefix", await values({ startWith: "none/" }));
    observe("all", (await values({ startWith: "" })).length);
    observe("no keys", await outcome(() => values({ keys: [] })));
    observe("nothing said", await outcome(() => values({})));
  },

  "with metadata": async ({ open, observe }) => {
    const { operations } = open();
    const metadata = { mine: "yes", "@expires": "2099-01-01T00:00:00.0000000Z" };
    await operations.send(new PutCompareExchangeValueOperation("m/1", "x", 0, metadata as Any));
    const got = (await operations.send(new GetCompareExchangeValueOperation<string>("m/1"))) as Any;
    observe("there are some", got.hasMetadata());
    observe("members", [got.metadata.mine, got.metadata["@expires"]]);
    await operations.send(new PutCompareExchangeValueOperation("m/2", "x", 0));
    const bare = (await operations.send(new GetCompareExchangeValueOperation<string>("m/2"))) as Any;
    observe("none", bare.hasMetadata());
    observe("empty", Object.keys(bare.metadata));
    observe("then there are", bare.hasMetadata());
  },

  "arguments that make no sense": async ({ open, observe }) => {
    const { operations } = open();
    const send = (make: () => Any) => outcome(async () => operations.send(make()));
    observe("put without a key", await send(() => new PutCompareExchangeValueOperation("", 1, 0)));
    observe("a negative index", await send(() => new PutCompareExchangeValueOperation("w/1", 1, -1)));
    observe("get without a key", await send(() => new GetCompareExchangeValueOperation("")));
    observe("delete without a key", await send(() => new DeleteCompareExchangeValueOperation("", 1)));
    observe("a missing value", await send(() => new GetCompareExchangeValueOperation("w/none")));
  },

  commands: async ({ open, observe, server }) => {
    const store = open();
    const session = () => store.openSession({ transactionMode: "ClusterWide" });
    const first = session();
    const put = new PutCompareExchangeCommandData("d/1", { Object: "users/1" }, 0);
    observe("put", [put.type, put.id, put.serialize(null as Any)]);
    first.advanced.defer(put);
    await first.store({ name: "one", "@metadata": { "@collection": "Users" } }, "users/1");
    observe("the save", await outcome(() => first.saveChanges()));
    observe("the document", await server.fields("users/1"));
    const got = await store.operations.send(new GetCompareExchangeValueOperation<string>("d/1"));
    observe("the value", got.value);
    const second = session();
    second.advanced.defer(new PutCompareExchangeCommandData("d/1", { Object: "users/2" }, 0));
    await second.store({ name: "two", "@metadata": { "@collection": "Users" } }, "users/2");
    observe("a value that exists", await outcome(() => second.saveChanges()));
    observe("no document", await server.fields("users/2"));
    const third = session();
    const remove = new DeleteCompareExchangeCommandData("d/1", got.index);
    observe("delete", [remove.id, (remove.serialize(null as Any) as Any).Type]);
    third.advanced.defer(remove);
    observe("its save", await outcome(() => third.saveChanges()));
    observe("is gone", await store.operations.send(new GetCompareExchangeValueOperation("d/1")));
  },

  keys: async ({ open, observe }) => {
    const { operations } = open();
    for (const key of ["emails/ida@harbour.example", "a b&c=d?e", "ÄÖ/日本", "UPPER"]) {
      const put = await operations.send(new PutCompareExchangeValueOperation(key, 1, 0));
      observe(`put ${key}`, put.successful);
      observe(`get ${key}`, (await operations.send(new GetCompareExchangeValueOperation<number>(key)))?.key);
    }
    const lower = await operations.send(new PutCompareExchangeValueOperation("upper", 2, 0));
    observe("in other letter case", lower.successful);
  },

  "an address that only one may have": async ({ open, observe }) => {
    const { operations } = open();
    const claims = await Promise.all(
      ["users/1", "users/2", "users/3"].map((user) =>
        operations.send(new PutCompareExchangeValueOperation("emails/same", user, 0)),
      ),
    );
    const winners = claims.filter(({ successful }) => successful);
    observe("one wins", winners.length);
    const owner = await operations.send(new GetCompareExchangeValueOperation<string>("emails/same"));
    observe("it is the owner", owner.value === winners[0]?.value);
    observe(
      "all are told",
      claims.every(({ value }) => value === owner.value),
    );
  },
});
