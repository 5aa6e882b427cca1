// Metadata: on the entity, through getMetadataFor, and on the server.
import { area, failure, outcome, plain } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

class MyUser {
  id?: string;
  constructor(public name = "") {}
}

class MyTimed {
  id?: string;
  at = new Date(1_000);
  names = new Set(["a"]);
}

export default area({
  "of a loaded document": async ({ open, observe, server }) => {
    await server.put("m/1", {
      name: "a",
      "@metadata": { "@collection": "Metas", Color: "red", "@expires": "2100-01-01T00:00:00.0000000Z" },
    });
    const session = open().openSession();
    const entity = (await session.load("m/1")) as Any;
    const metadata = session.advanced.getMetadataFor(entity);
    observe("getMetadataFor", metadata);
    observe("is @metadata of the entity", entity["@metadata"] === metadata);
    observe("always the same object", session.advanced.getMetadataFor(entity) === metadata);
    observe(
      "the change vector in it",
      metadata["@change-vector"] === session.advanced.getChangeVectorFor(entity),
    );
    observe("the id in it", metadata["@id"]);
    observe("getLastModifiedFor is a date", session.advanced.getLastModifiedFor(entity) instanceof Date);
    const stored = (await server.document("m/1"))["@metadata"]["@last-modified"];
    observe(
      "the server's moment",
      session.advanced.getLastModifiedFor(entity).getTime() === Date.parse(`${stored.slice(0, 23)}Z`),
    );
  },

  "changing it": async ({ open, observe, better, server }) => {
    await server.put("m/2", { name: "a", "@metadata": { "@collection": "Metas", Color: "red" } });
    const session = open().openSession();
    const entity = (await session.load("m/2")) as Any;
    const metadata = session.advanced.getMetadataFor(entity) as Any;
    metadata.Size = 5;
    metadata.Color = "blue";
    metadata.Deep = { a: [1] };
    observe("is no field of whatChanged", session.advanced.whatChanged());
    better("hasChanges", session.advanced.hasChanges(), { ravendb: false, edge: true });
    better("hasChanged", session.advanced.hasChanged(entity), { ravendb: false, edge: true });
    await session.saveChanges();
    const stored = (await server.document("m/2"))["@metadata"];
    observe("is stored", [stored.Size, stored.Color, stored.Deep, stored["@collection"]]);
    observe("no changes left", session.advanced.hasChanges());
    const vector = await server.vector("m/2");
    await session.saveChanges();
    observe("and not sent again", (await server.vector("m/2")) === vector);
    observe("the fields stay", await server.fields("m/2"));
  },

  "through the entity": async ({ open, observe, better, server }) => {
    await server.put("m/3", { name: "a", "@metadata": { "@collection": "Metas", Color: "red" } });
    const session = open().openSession();
    const entity = (await session.load("m/3")) as Any;
    entity["@metadata"].Color = "green";
    await session.saveChanges();
    observe("is stored", (await server.document("m/3"))["@metadata"].Color);
    entity["@metadata"].Color = "yellow";
    await session.saveChanges();
    better("a second time", (await server.document("m/3"))["@metadata"].Color, {
      ravendb: "green",
      edge: "yellow",
    });
  },

  removing: async ({ open, observe, better, server }) => {
    await server.put("m/4", { name: "a", "@metadata": { "@collection": "Metas", Color: "red", Size: 1 } });
    const session = open().openSession();
    const entity = (await session.load("m/4")) as Any;
    const metadata = session.advanced.getMetadataFor(entity) as Any;
    delete metadata.Color;
    observe("it is gone here", metadata.Color);
    await session.saveChanges();
    better("and on the server", (await server.document("m/4"))["@metadata"].Color, {
      ravendb: "red",
      edge: undefined,
    });
    observe("what was not removed stays", (await server.document("m/4"))["@metadata"].Size);
    observe("the collection stays", (await server.document("m/4"))["@metadata"]["@collection"]);
  },

  "of a new document": async ({ open, observe, server }) => {
    const session = open().openSession();
    const user = new MyUser("a");
    await session.store(user, "m/new");
    const metadata = session.advanced.getMetadataFor(user) as Any;
    observe("before saving", metadata);
    metadata.Color = "red";
    metadata["@expires"] = "2100-01-01T00:00:00.0000000Z";
    await session.saveChanges();
    const stored = (await server.document("m/new"))["@metadata"];
    observe("is stored", [stored.Color, stored["@expires"], stored["@collection"]]);
    observe("after saving", session.advanced.getMetadataFor(user)["@id"]);
    observe(
      "the change vector after saving",
      session.advanced.getMetadataFor(user)["@change-vector"] === stored["@change-vector"],
    );
    const order = plain({ n: 1 }, "Plains") as Any;
    order["@metadata"].Color = "blue";
    await session.store(order, "m/plain");
    await session.saveChanges();
    const plainStored = (await server.document("m/plain"))["@metadata"];
    observe("of a plain object", [plainStored.Color, plainStored["@collection"]]);
    observe("its fields", await server.fields("m/plain"));
    observe("not changed", session.advanced.hasChanges());
  },

  "the change vector": async ({ open, observe, server }) => {
    const session = open().openSession();
    const user = new MyUser("a");
    await session.store(user, "m/vector");
    observe("of a new one", session.advanced.getChangeVectorFor(user));
    await session.saveChanges();
    observe("saved", session.advanced.getChangeVectorFor(user) === (await server.vector("m/vector")));
    user.name = "b";
    await session.saveChanges();
    observe("saved again", session.advanced.getChangeVectorFor(user) === (await server.vector("m/vector")));
    await server.put("m/vector", { name: "theirs" }, "MyUsers");
    observe(
      "not that of somebody else's write",
      session.advanced.getChangeVectorFor(user) === (await server.vector("m/vector")),
    );
  },

  "the collection of a loaded document changed": async ({ open, observe, server }) => {
    await server.put("m/moved", { name: "a" }, "Metas");
    const session = open().openSession();
    const entity = (await session.load("m/moved")) as Any;
    session.advanced.getMetadataFor(entity)["@collection"] = "Others";
    observe("the save", await outcome(() => session.saveChanges()));
    observe("is refused each time", await outcome(() => session.saveChanges()));
    observe("on the server", (await server.document("m/moved"))["@metadata"]["@collection"]);
    observe("the metadata go on saying it", session.advanced.getMetadataFor(entity)["@collection"]);
    session.advanced.getMetadataFor(entity)["@collection"] = "Metas";
    observe("put back", await outcome(() => session.saveChanges()));
  },

  "… beside other changes": async ({ open, observe, server }) => {
    await server.put("m/moved2", { name: "a" }, "Metas");
    const session = open().openSession();
    const entity = (await session.load("m/moved2")) as Any;
    session.advanced.getMetadataFor(entity)["@collection"] = "Others";
    entity.name = "b";
    observe("the save", await outcome(() => session.saveChanges()));
    observe("nothing changed", await server.fields("m/moved2"));
  },

  "… of one that is gone": async ({ open, observe, server }) => {
    await server.put("m/moved3", { name: "a" }, "Metas");
    const session = open().openSession();
    const entity = (await session.load("m/moved3")) as Any;
    await server.delete("m/moved3");
    session.advanced.getMetadataFor(entity)["@collection"] = "Others";
    observe("the save", await outcome(() => session.saveChanges()));
    observe("the new collection", (await server.document("m/moved3"))?.["@metadata"]["@collection"]);
    observe("nothing is left", session.advanced.hasChanges());
  },

  "… of a new document": async ({ open, observe, server }) => {
    const session = open().openSession();
    const user = new MyUser("a");
    await session.store(user, "m/moved4");
    session.advanced.getMetadataFor(user)["@collection"] = "Others";
    observe("the save", await outcome(() => session.saveChanges()));
    observe("the collection", (await server.document("m/moved4"))?.["@metadata"]["@collection"]);
    session.advanced.getMetadataFor(user)["@collection"] = "More";
    observe("a second time", await outcome(() => session.saveChanges()));
  },

  "… in other letter case": async ({ open, observe, server }) => {
    await server.put("m/moved5", { name: "a" }, "Metas");
    const session = open().openSession();
    const entity = (await session.load("m/moved5")) as Any;
    session.advanced.getMetadataFor(entity)["@collection"] = "METAS";
    observe("the save", await outcome(() => session.saveChanges()));
    observe("on the server", (await server.document("m/moved5"))["@metadata"]["@collection"]);
    observe("nothing is left", session.advanced.hasChanges());
  },

  "… taken away": async ({ open, observe, server }) => {
    await server.put("m/moved6", { name: "a" }, "Metas");
    const session = open().openSession();
    const entity = (await session.load("m/moved6")) as Any;
    delete session.advanced.getMetadataFor(entity)["@collection"];
    observe("the save", await outcome(() => session.saveChanges()));
    observe("on the server", (await server.document("m/moved6"))["@metadata"]["@collection"]);
  },

  "what the server would show of a class": async ({ open, observe, better, server }) => {
    const store = open((conventions) => {
      conventions.registerEntityType(MyUser);
      conventions.registerEntityType(MyTimed);
    });
    const session = store.openSession();
    const user = new MyUser("a");
    const timed = new MyTimed();
    await session.store(user, "m/class");
    await session.store(timed, "m/nested");
    observe("before the save", session.advanced.getMetadataFor(user)["Raven-Node-Type"]);
    await session.saveChanges();
    const notes = (entity: object) => {
      const metadata = session.advanced.getMetadataFor(entity) as Any;
      return [metadata["Raven-Node-Type"], metadata["@nested-object-types"]];
    };
    observe("the class", notes(user)[0]);
    observe("the notes of a class with values of their own", notes(timed));
    const stored = async (id: string) => {
      const metadata = (await server.document(id))["@metadata"];
      return [metadata["Raven-Node-Type"], metadata["@nested-object-types"]];
    };
    observe(
      "as the server has it",
      JSON.stringify(notes(timed)) === JSON.stringify(await stored("m/nested")),
    );
    observe("is no change", session.advanced.hasChanges());
    const vector = await server.vector("m/class");
    await session.saveChanges();
    observe("and not sent", (await server.vector("m/class")) === vector);
    (timed as Any).at = "no date";
    (timed as Any).until = new Date(0);
    await session.saveChanges();
    observe("after other values", notes(timed)[1]);
    better("a plain object has no class", session.advanced.getMetadataFor(user)["@nested-object-types"], {
      ravendb: {},
      edge: undefined,
    });
  },

  "of what is no entity": async ({ open, observe }) => {
    const { advanced } = open().openSession();
    const nothing = null as unknown as object;
    observe("getMetadataFor another", await outcome(() => advanced.getMetadataFor({ name: "x" })));
    observe("… with an id", await failure(() => advanced.getMetadataFor({ id: "m/none" }), "m/none"));
    observe("getMetadataFor null", await outcome(() => advanced.getMetadataFor(nothing)));
    observe("getChangeVectorFor another", await outcome(() => advanced.getChangeVectorFor({ name: "x" })));
    observe("getChangeVectorFor null", await outcome(() => advanced.getChangeVectorFor(nothing)));
    observe("getLastModifiedFor null", await outcome(() => advanced.getLastModifiedFor(nothing)));
    observe("getDocumentId another", advanced.getDocumentId({ id: "m/none" }));
    observe("getDocumentId null", advanced.getDocumentId(nothing));
  },
});
