// Entities that are not plain records: frozen, null, with odd prototypes, getters, toJSON, or from frameworks.
import { area, fails, failure, outcome, plain } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

class MyUser {
  id?: string;
  constructor(public name = "") {}
}
class MyAccount {
  id?: string;
  #secret = "hidden";
  static shared = "static";
  constructor(
    public first = "",
    public last = "",
  ) {}
  get full() {
    return `${this.first} ${this.last}`;
  }
  reveal() {
    return this.#secret;
  }
}
class MyJson {
  id?: string;
  a = 1;
  b = 2;
  toJSON() {
    return { only: this.a };
  }
}
class MyBase {
  id?: string;
  base = 1;
}
class MyChild extends MyBase {
  child = 2;
}
class MyNested {
  id?: string;
  inner = new MyUser("inner");
  list = [new MyUser("item")];
}

export default area({
  "what is no entity": async ({ open, observe, better }) => {
    const session = open().openSession();
    const none = null as unknown as object;
    better("null", await outcome(() => session.store(none)), {
      ravendb: fails("TypeError"),
      edge: fails("InvalidArgumentException"),
    });
    better("undefined", await outcome(() => session.store(undefined as unknown as object)), {
      ravendb: fails("TypeError"),
      edge: fails("InvalidArgumentException"),
    });
    better("text", await failure(() => session.store("text" as unknown as object, "odd/text")), {
      ravendb: fails("TypeError"),
      edge: fails("InvalidArgumentException"),
    });
    observe("null with an id", await outcome(() => session.delete(none)));
    session.advanced.clear();
    observe("the session goes on", await outcome(() => session.store(new MyUser("a"), "odd/after")));
    observe("and saves", await outcome(() => session.saveChanges()));
  },

  frozen: async ({ open, observe, better, server }) => {
    const session = open().openSession();
    const frozen = Object.freeze({ ...plain({ name: "ice" }, "Ices") });
    better(
      "with an id as argument",
      await outcome(() => session.store(frozen, "odd/frozen").then(() => "stored")),
      {
        ravendb: fails("TypeError"),
        edge: "stored",
      },
    );
    better("getDocumentId", session.advanced.getDocumentId(frozen), { ravendb: null, edge: "odd/frozen" });
    better("saving", await outcome(() => session.saveChanges().then(() => server.fields("odd/frozen"))), {
      ravendb: undefined,
      edge: { name: "ice" },
    });
    const hilo = Object.freeze(plain({ name: "hilo" }, "Ices"));
    better(
      "without an id",
      await outcome(() => session.store(hilo).then(() => session.advanced.getDocumentId(hilo))),
      {
        ravendb: fails("TypeError"),
        edge: "ices/1-A",
      },
    );
    const own = Object.freeze({ id: "odd/own", ...plain({ name: "own" }, "Ices") });
    better("with its own id", await outcome(() => session.store(own).then(() => "stored")), {
      ravendb: fails("TypeError"),
      edge: "stored",
    });
    const sealed = Object.seal({ id: undefined, ...plain({ name: "sealed" }, "Seals") });
    observe(
      "sealed, with a place for its id",
      await outcome(() => session.store(sealed).then(() => sealed.id)),
    );
  },

  "no prototype": async ({ open, observe, server }) => {
    const session = open().openSession();
    const bare = Object.assign(Object.create(null), {
      name: "bare",
      "@metadata": { "@collection": "Bares" },
    });
    const stored = await outcome(() => session.store(bare, "odd/bare").then(() => bare.id));
    observe("Object.create(null)", stored);
    const saved = await outcome(() => session.saveChanges().then(() => server.fields("odd/bare")));
    observe("saved", saved);
    const holder = plain({ map: Object.assign(Object.create(null), { a: 1 }) }, "Bares");
    observe(
      "as a field",
      await outcome(() => session.store(holder, "odd/holder").then(() => session.saveChanges())),
    );
    observe("stored", await server.fields("odd/holder"));
  },

  "classes with getters and private fields": async ({ open, observe, server }) => {
    const session = open().openSession();
    const account = new MyAccount("Ann", "Lee");
    await session.store(account, "odd/account");
    await session.saveChanges();
    observe("only own fields are stored", await server.fields("odd/account"));
    observe("not changed", session.advanced.hasChanges());
    account.last = "Kim";
    observe("what changed", session.advanced.whatChanged());
    const back = (await open().openSession().load("odd/account", MyAccount)) as MyAccount;
    observe("as its class", [back instanceof MyAccount, back.full, back.reveal()]);
    const own = plain({ price: 2, count: 3 }, "Owns") as Any;
    Object.defineProperty(own, "total", {
      enumerable: true,
      configurable: true,
      get: () => own.price * own.count,
    });
    Object.defineProperty(own, "hidden", { enumerable: false, value: 1 });
    own[Symbol("s")] = 1;
    await session.store(own, "odd/own-getter");
    await session.saveChanges();
    observe("an own getter is, what is not enumerable is not", await server.fields("odd/own-getter"));
    own.price = 5;
    observe(
      "its value changes",
      Object.values(session.advanced.whatChanged())
        .flat()
        .map((one) => [one.fieldName, one.fieldNewValue])
        .filter(([name]) => name !== "last"),
    );
    const failing = plain({ a: 1 }, "Owns") as Any;
    Object.defineProperty(failing, "broken", {
      enumerable: true,
      get: () => {
        throw new RangeError("no");
      },
    });
    const other = open().openSession();
    await other.store(failing, "odd/broken");
    observe("a getter that throws", await outcome(() => other.saveChanges()));
    other.advanced.evict(failing);
    await other.store(new MyUser("after"), "odd/after-broken");
    observe("the session goes on", await outcome(() => other.saveChanges()));
  },

  // npm `ravendb` takes a toJSON among the fields for a field, and one of a class for nothing.
  toJSON: async ({ open, better, server }) => {
    const session = open().openSession();
    const nested = plain({ at: { toJSON: () => "as text" } }, "Jsons");
    const whole = new MyJson();
    await session.store(nested, "odd/json");
    await session.store(whole, "odd/whole");
    better("saving", await outcome(() => session.saveChanges().then(() => session.advanced.hasChanges())), {
      ravendb: fails("InvalidArgumentException"),
      edge: false,
    });
    better("of a field", await server.fields("odd/json"), {
      ravendb: { at: "as text" },
      edge: { at: "as text" },
    });
    better("of the entity itself", await server.fields("odd/whole"), {
      ravendb: { a: 1, b: 2 },
      edge: { only: 1 },
    });
  },

  inherited: async ({ open, observe, server }) => {
    const session = open().openSession();
    const child = new MyChild();
    await session.store(child);
    await session.saveChanges();
    observe("all fields", await server.fields(child.id as string));
    observe("its id", child.id);
    const back = (await open((conventions) => conventions.registerEntityType(MyChild))
      .openSession()
      .load(child.id as string)) as Any;
    observe("comes back as the child", [back instanceof MyChild, back instanceof MyBase]);
    const as = (await open()
      .openSession()
      .load(child.id as string, MyBase)) as Any;
    observe("or as what is asked for", [as instanceof MyBase, as instanceof MyChild, as.child]);
  },

  "nested instances": async ({ open, observe, server }) => {
    const conventions = (open: Any) => open.registerEntityType(MyNested).registerEntityType(MyUser);
    const session = open(conventions).openSession();
    await session.store(new MyNested(), "odd/nested");
    await session.saveChanges();
    observe("stored", await server.fields("odd/nested"));
    const loading = open(conventions).openSession();
    const back = (await loading.load("odd/nested", MyNested)) as Any;
    observe("come back", [
      back instanceof MyNested,
      back.inner instanceof MyUser,
      back.list[0] instanceof MyUser,
    ]);
    observe("not changed", loading.advanced.hasChanges());
  },

  "objects of the app that hold more": async ({ open, observe, server }) => {
    const session = open().openSession();
    const shared = { n: 1 };
    const twice = plain({ a: shared, b: shared, nothing: undefined, list: [undefined, () => 1, 2] }, "Mores");
    await session.store(twice, "odd/shared");
    await session.saveChanges();
    observe("stored", await server.fields("odd/shared"));
    const cycle = plain({ name: "cycle" }, "Mores") as Any;
    cycle.self = cycle;
    const other = open().openSession();
    await other.store(cycle, "odd/cycle");
    observe("a cycle fails", (await outcome(() => other.saveChanges().then(() => "saved"))) !== "saved");
    observe("and nothing is stored", await server.document("odd/cycle"));
    const big = open().openSession();
    await big.store(plain({ n: 1n }, "Mores"), "odd/bigint");
    observe("a bigint", await outcome(() => big.saveChanges()));
    const text = plain(
      { quote: '"\\\u2028\n\u0000', lone: "\ud800", emoji: "😀", long: "x".repeat(100_000) },
      "Mores",
    );
    await session.store(text, "odd/text2");
    await session.saveChanges();
    const loaded = (await open().openSession().load("odd/text2")) as Any;
    observe("texts", [loaded.quote === text.quote, loaded.emoji, loaded.long.length]);
  },

  "a proxy": async ({ open, observe, server }) => {
    const session = open().openSession();
    const target = plain({ name: "a", deep: { n: 1 } }, "Proxies") as Any;
    const wrap = (value: Any): Any =>
      new Proxy(value, {
        get: (object, key, receiver) => {
          const got = Reflect.get(object, key, receiver);
          return typeof got === "object" && got !== null && key !== "@metadata" ? wrap(got) : got;
        },
      });
    const entity = wrap(target);
    await session.store(entity, "odd/proxy");
    await session.saveChanges();
    observe("stored", await server.fields("odd/proxy"));
    observe("its id", [entity.id, target.id]);
    entity.deep.n = 2;
    observe("changed through it", session.advanced.hasChanged(entity));
    await session.saveChanges();
    observe("sent", await server.fields("odd/proxy"));
    observe("the target is another object", await outcome(() => session.store(target, "odd/proxy")));
    observe("load gives the proxy", (await session.load("odd/proxy")) === entity);
  },

  "stored documents of other clients": async ({ open, observe, better, server }) => {
    const put = (id: string, text: string) => server.send("PUT", `/docs?id=${id}`, text);
    await put("odd/id", '{"id":"a field","name":"x","@metadata":{"@collection":"Others"}}');
    await put(
      "odd/keys",
      '{"":1,"a.b":2,"a b":3,"__proto__":4,"constructor":5,"@metadata":{"@collection":"Others"}}',
    );
    await put("odd/numbers", '{"a":1E5,"b":1.10,"c":-0.0,"d":1e-400,"@metadata":{"@collection":"Others"}}');
    await put("odd/loose", '{"n":1}');
    const session = open().openSession();
    observe("an id as field", ((await session.load("odd/id")) as Any).id);
    const keys = (await session.load("odd/keys")) as Any;
    observe("odd names", [keys[""], keys["a.b"], keys["a b"], keys.constructor]);
    const numbers = (await session.load("odd/numbers")) as Any;
    observe("numbers", [numbers.a, numbers.b, numbers.c, numbers.d]);
    const bare = (await session.load("odd/loose")) as Any;
    observe("no collection", bare.n);
    // A member named `__proto__` is none to npm `ravendb`.
    better("not changed", session.advanced.hasChanges(), { ravendb: true, edge: false });
    bare.n = 2;
    observe("saving it", await outcome(() => session.saveChanges()));
    observe("it still has none", (await server.document("odd/loose"))["@metadata"]["@collection"]);
  },
});
