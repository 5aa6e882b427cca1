// Sessions without tracking.
import { area, fails, outcome } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

class MyUser {
  id?: string;
  constructor(public name = "") {}
}

export default area({
  noTracking: async ({ open, observe, better, server }) => {
    await server.put("n/1", { name: "a", next: "n/2" }, "MyUsers");
    await server.put("n/2", { name: "b" }, "MyUsers");
    const session = open().openSession({ noTracking: true });
    const first = (await session.load("n/1")) as Any;
    observe("an entity", [first.name, first.id]);
    const second = (await session.load("n/1")) as Any;
    observe("another object each time", first === second);
    observe("a request each time", session.advanced.numberOfRequests);
    observe("isLoaded", session.advanced.isLoaded("n/1"));
    observe("getDocumentId", session.advanced.getDocumentId(first));
    observe("hasChanged", session.advanced.hasChanged(first));
    first.name = "changed";
    observe("hasChanges", session.advanced.hasChanges());
    observe("saveChanges", await outcome(() => session.saveChanges()));
    observe("nothing is saved", ((await server.fields("n/1")) as Any).name);
    observe("store", await outcome(() => session.store(new MyUser("x"), "n/3")));
    observe("delete", await outcome(() => session.delete(first)));
    observe("a class", ((await session.load("n/1", MyUser)) as Any) instanceof MyUser);
    observe(
      "many",
      Object.entries((await session.load(["n/1", "n/none", "n/2"])) as Any).map(([id, one]) => [
        id,
        (one as Any)?.name ?? null,
      ]),
    );
    observe("missing", (await session.load("n/none")) ?? null);
    observe(
      "by prefix",
      ((await session.advanced.loadStartingWith("n/")) as Any[]).map((one) => one.name),
    );
    const includes = await outcome(() => session.load("n/1", { includes: ["next"] }));
    better("includes", includes, { ravendb: fails("Error"), edge: fails("InvalidOperationException") });
    observe("getMetadataFor", await outcome(() => session.advanced.getMetadataFor(first)));
    observe("the metadata of the entity", first["@metadata"]?.["@collection"]);
    observe("tracked", session.advanced.getTrackedEntities().size);
  },

  "deleting by id": async ({ open, observe, server }) => {
    await server.put("n/4", { name: "a" }, "MyUsers");
    const session = open().openSession({ noTracking: true });
    await session.delete("n/4");
    observe("saving", await outcome(() => session.saveChanges()));
    observe("it stays", (await server.document("n/4")) !== undefined);
  },

  "in other letter case": async ({ open, better, server }) => {
    await server.put("n/Mixed", { name: "a" }, "MyUsers");
    const session = open().openSession({ noTracking: true });
    better("one", ((await session.load("N/MIXED")) as Any)?.name ?? null, { ravendb: null, edge: "a" });
  },
});
