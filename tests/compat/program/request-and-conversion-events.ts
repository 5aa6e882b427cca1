// Events of requests and conversions, and members of the session that few apps use.
import { PatchOperation, PatchRequest } from "client";
import { area, outcome } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

class MyUser {
  id?: string;
  constructor(public name = "") {}
}

export default area({
  requests: async ({ open, observe, server }) => {
    await server.put("e/request", { name: "a" }, "MyUsers");
    const store = open();
    const log: string[] = [];
    store.addSessionListener("beforeRequest", (e) => {
      if (e.url.includes("/docs")) log.push(`before ${e.database === server.database}`);
    });
    store.addSessionListener("succeedRequest", (e) => {
      if (e.url.includes("/docs")) log.push(`succeed ${e.database === server.database} ${e.response.status}`);
    });
    await store.openSession().load("e/request");
    observe("a load", log.splice(0));
    await store.openSession().load("e/none");
    observe("one that finds nothing", log.splice(0));
  },

  conversion: async ({ open, observe, server }) => {
    await server.put("e/convert", { name: "a" }, "MyUsers");
    const session = open().openSession();
    const log: string[] = [];
    session.advanced.on("beforeConversionToEntity", (e) => log.push(`before entity ${e.id}`));
    session.advanced.on("afterConversionToEntity", (e) =>
      log.push(`after entity ${e.id} ${(e.entity as MyUser).name}`),
    );
    const entity = (await session.load("e/convert")) as Any;
    observe("a load", log.splice(0));
    session.advanced.on("beforeConversionToDocument", (e) => log.push(`before document ${e.id}`));
    session.advanced.on("afterConversionToDocument", (e) =>
      log.push(`after document ${e.id} ${(e.document.value as MyUser).name}`),
    );
    entity.name = "b";
    await session.saveChanges();
    observe("a save tells of the document", [
      log.includes("before document e/convert"),
      log.includes("after document e/convert b"),
    ]);
    observe(
      "in this order",
      log.indexOf("before document e/convert") < log.indexOf("after document e/convert b"),
    );
  },

  "conversion changes the document": async ({ open, observe, server }) => {
    const session = open().openSession();
    session.advanced.on("afterConversionToDocument", (e) => {
      (e.document.value as Any).stamp = "added";
    });
    await session.store(new MyUser("a"), "e/converted");
    await session.saveChanges();
    observe("what is added is stored", await server.fields("e/converted"));
    const other = open().openSession();
    other.advanced.on("afterConversionToEntity", (e) => {
      (e.entity as Any).name = "seen";
    });
    observe("and to the entity", ((await other.load("e/converted")) as Any).name);
    observe("which is a change", other.advanced.hasChanges());
  },

  "reads, too": async ({ open, observe, server }) => {
    await server.put("c/read", { name: "a" }, "MyUsers");
    const session = open().openSession({ optimisticConcurrencyMode: "WritesAndReads" });
    observe("mode", [session.advanced.optimisticConcurrencyMode, session.advanced.useOptimisticConcurrency]);
    await session.load("c/read");
    await server.put("c/read", { name: "theirs" }, "MyUsers");
    await session.store(new MyUser("x"), "c/written");
    observe("what was only read changed", await outcome(() => session.saveChanges()));
    observe("nothing is written", await server.document("c/written"));
  },

  conditionalLoad: async ({ open, observe, better, server }) => {
    await server.put("a/cond", { name: "a" }, "MyUsers");
    const old = (await server.vector("a/cond")) as string;
    const fresh = () => open().openSession().advanced;
    observe("unchanged", await fresh().conditionalLoad("a/cond", old, MyUser));
    await server.put("a/cond", { name: "b" }, "MyUsers");
    const found = await fresh().conditionalLoad("a/cond", old, MyUser);
    observe("changed", (found.entity as Any)?.name);
    better("with its change vector", found.changeVector === (await server.vector("a/cond")), {
      ravendb: false,
      edge: true,
    });
    observe("missing", await fresh().conditionalLoad("a/nothing", old, MyUser));
  },

  patch: async ({ open, observe, server }) => {
    await server.put("o/1", { n: 1 }, "Ones");
    const { operations } = open();
    const patch = Object.assign(PatchRequest.forScript("this.n += args.by"), { values: { by: 4 } });
    const result = await operations.send(new PatchOperation("o/1", null as unknown as string, patch));
    observe("its status", (result as { status: string }).status ?? result);
    observe("what is there", await server.fields("o/1"));
    const again = new PatchOperation("o/1", "A:1-AAAAAAAAAAAAAAAAAAAAAA", patch);
    observe("an old vector", await outcome(() => operations.send(again)));
  },

  "what is at hand": async ({ open, observe, server }) => {
    const { advanced } = open().openSession();
    observe("externalState", advanced.externalState instanceof Map);
    observe("getCurrentSessionNode", (await advanced.getCurrentSessionNode()).url === server.url);
  },
});
