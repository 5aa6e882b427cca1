// Members of `session.advanced` that read or convert: conditionalLoad, streams into a file, metadata, sessionInfo.
import { Writable } from "node:stream";
import { area, outcome, plain } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

class MyUser {
  id?: string;
  constructor(public name = "") {}
}

/** Keeps what is written, as text. */
class Kept extends Writable {
  text = "";
  override _write(chunk: Any, _encoding: Any, done: () => void) {
    this.text += chunk;
    done();
  }
}

export default area({
  conditionalLoad: async ({ open, observe, better, server }) => {
    await server.put("b/cond", { name: "a" }, "MyUsers");
    const old = (await server.vector("b/cond")) as string;
    const session = open().openSession();
    observe("unchanged", await session.advanced.conditionalLoad("b/cond", old, MyUser));
    observe("costs a request", session.advanced.numberOfRequests);
    observe("and is not loaded", session.advanced.isLoaded("b/cond"));
    await server.put("b/cond", { name: "b" }, "MyUsers");
    const found = await session.advanced.conditionalLoad("b/cond", old, MyUser);
    better("an instance", found.entity instanceof MyUser, { ravendb: false, edge: true });
    observe("is of the session", session.advanced.getDocumentId(found.entity as object));
    observe("no change", session.advanced.hasChanges());
    const again = await session.advanced.conditionalLoad("b/cond", "", MyUser);
    observe("loaded before: the same object", again.entity === found.entity);
    observe("without a request", session.advanced.numberOfRequests);
    observe("its change vector", again.changeVector === (await server.vector("b/cond")));
    (found.entity as MyUser).name = "c";
    await session.saveChanges();
    observe("is saved", await server.fields("b/cond"));
  },

  "… without what it needs": async ({ open, observe }) => {
    const { advanced } = open().openSession();
    observe("no id", await outcome(() => advanced.conditionalLoad("", "A:1", MyUser)));
    observe("no change vector", await outcome(() => advanced.conditionalLoad("b/1", "", MyUser)));
    observe("null", await outcome(() => advanced.conditionalLoad("b/1", null as unknown as string, MyUser)));
    const { lazily } = advanced;
    observe("lazily no id", await outcome(() => lazily.conditionalLoad("", "A:1", MyUser).getValue()));
    const blank = await outcome(() => lazily.conditionalLoad("b/1", "", MyUser).getValue());
    observe("lazily no change vector", blank);
    observe("no requests", advanced.numberOfRequests);
    observe("missing", await advanced.conditionalLoad("b/none", "A:1-AAAAAAAAAAAAAAAAAAAAAA", MyUser));
    observe("is known to be missing", advanced.isLoaded("b/none"));
    observe("again", await advanced.conditionalLoad("b/none", "", MyUser));
  },

  "conditionalLoad lazily": async ({ open, observe, better, server }) => {
    await server.put("b/lazy1", { name: "a" }, "MyUsers");
    await server.put("b/lazy2", { name: "a" }, "MyUsers");
    const same = (await server.vector("b/lazy1")) as string;
    const old = (await server.vector("b/lazy2")) as string;
    await server.put("b/lazy2", { name: "b" }, "MyUsers");
    const session = open().openSession();
    const { lazily } = session.advanced;
    const unchanged = lazily.conditionalLoad("b/lazy1", same, MyUser);
    const changed = lazily.conditionalLoad("b/lazy2", old, MyUser);
    observe("unchanged", await unchanged.getValue());
    const found = await changed.getValue();
    observe("changed", found.entity?.name);
    better("with its change vector", found.changeVector === (await server.vector("b/lazy2")), {
      ravendb: false,
      edge: true,
    });
    observe("one request", session.advanced.numberOfRequests);
    const again = await lazily.conditionalLoad("b/lazy2", "", MyUser).getValue();
    observe("loaded before", again.entity === found.entity);
    const missing = lazily.conditionalLoad("b/none", old, MyUser);
    observe("missing", await outcome(() => missing.getValue()));
  },

  loadIntoStream: async ({ open, observe, server }) => {
    await server.put("b/s1", { name: "a" }, "MyUsers");
    await server.put("b/s2", { name: "b" }, "MyUsers");
    const session = open().openSession();
    const kept = new Kept();
    await session.advanced.loadIntoStream(["b/s1", "b/s2"], kept);
    const written = JSON.parse(kept.text);
    observe(
      "results",
      written.results.map((each: Any) => [each["@metadata"]["@id"], each.name]),
    );
    observe("includes", written.includes);
    observe("it is ended", kept.writableEnded);
    observe("nothing is loaded", session.advanced.isLoaded("b/s1"));
    const more = new Kept();
    await session.advanced.loadStartingWithIntoStream("b/s", more);
    observe(
      "by the beginning",
      JSON.parse(more.text).results.map((each: Any) => each["@metadata"]["@id"]),
    );
    const one = new Kept();
    await session.advanced.loadStartingWithIntoStream("b/s", one, { start: 1, pageSize: 1 });
    observe(
      "a page",
      JSON.parse(one.text).results.map((each: Any) => each.name),
    );
    observe("requests", session.advanced.numberOfRequests);
    const none = new Kept();
    observe("no prefix", await outcome(() => session.advanced.loadStartingWithIntoStream("", none)));
    observe(
      "no writable",
      await outcome(() => session.advanced.loadStartingWithIntoStream("b/s", null as unknown as Writable)),
    );
  },

  "what it tells of itself": async ({ open, observe, server }) => {
    const store = open();
    const { advanced } = store.openSession();
    const node = await advanced.getCurrentSessionNode();
    observe("getCurrentSessionNode", [node.url === server.url, node.database === server.database]);
    observe(
      "storeIdentifier",
      advanced.storeIdentifier === `${(store as Any).identifier};${server.database}`,
    );
    const { sessionInfo } = advanced;
    const same = await sessionInfo.getCurrentSessionNode(store.getRequestExecutor());
    observe("sessionInfo.getCurrentSessionNode", same.url === server.url);
    sessionInfo.incrementRequestCount();
    observe("incrementRequestCount", advanced.numberOfRequests);
  },

  entityToJson: async ({ open, observe }) => {
    const session = open().openSession();
    const { entityToJson } = session.advanced;
    const user = Object.assign(new MyUser("x"), { at: new Date(0), id: "b/x" });
    observe("of an entity", Object.keys(entityToJson.convertEntityToJson(user, null as Any)).sort());
    observe("its values", (entityToJson.convertEntityToJson(user, null as Any) as Any).name);
    const order = plain({ n: 1 });
    await session.store(order, "orders/json");
    observe("of an object of the session", (entityToJson.convertEntityToJson(order, null as Any) as Any).n);
  },

  "a function of the app makes entities": async ({ open, observe, better, server }) => {
    await server.put("made/1", { n: 1, "@metadata": { "@collection": "Mades", color: "red" } });
    const session = open().openSession();
    const { entityToJson } = session.advanced;
    const document = { n: 1, "@metadata": { "@id": "made/own", "@nested-object-types": {} } };
    observe(
      "convertToEntity",
      entityToJson.convertToEntity(null as Any, "made/own", structuredClone(document), true),
    );
    const given: unknown[] = [];
    const original = entityToJson.convertToEntity.bind(entityToJson);
    entityToJson.convertToEntity = (type, id, document, isTracked) => {
      given.push([type && (type as { name: string }).name, id, isTracked, (document as Any).n]);
      const entity = original(type, id, document, isTracked) as Any;
      return { made: true, n: entity.n };
    };
    const loaded = (await session.load("made/1")) as Any;
    observe("loaded", loaded);
    observe("is tracked", session.advanced.isLoaded("made/1"));
    // npm `ravendb` compares the entity with the document.
    better("is a change", session.advanced.hasChanges(), { ravendb: true, edge: false });
    loaded.n = 2;
    await session.saveChanges();
    observe("saved", await server.fields("made/1"));
    observe("its metadata stay", (await server.document("made/1"))["@metadata"].color);
    const untracked = open().openSession({ noTracking: true });
    untracked.advanced.entityToJson.convertToEntity = (type, id, _document, isTracked) => {
      given.push([type && (type as { name: string }).name, id, isTracked]);
      return { made: true };
    };
    const found = [
      await untracked.load("made/1", MyUser),
      ...(await untracked.query({ collection: "Mades" }).waitForNonStaleResults().all()),
    ] as Any[];
    observe(
      "loaded with a class, queried",
      found.map(({ made }) => made),
    );
    // npm `ravendb` shows the metadata only in tracked entities.
    better(
      "their metadata",
      found.map((one) => one["@metadata"]?.color),
      {
        ravendb: [undefined, undefined],
        edge: ["red", "red"],
      },
    );
    observe("what it is given", given);
  },
});
