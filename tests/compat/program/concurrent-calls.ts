// Calls while another one is in progress: parallel calls, changes during a save, listeners that use the session.
import { DeleteCommandData } from "client";
import { area, outcome } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

class MyUser {
  id?: string;
  constructor(public name = "") {}
}

export default area({
  "a change during a save": async ({ open, observe, server }) => {
    const session = open().openSession();
    const user = new MyUser("first");
    await session.store(user, "du/1");
    const saving = session.saveChanges();
    user.name = "second";
    await saving;
    const stored = ((await server.fields("du/1")) as Any).name;
    observe(
      "either it was sent or it is still a change",
      stored === "second" || session.advanced.hasChanges(),
    );
    await session.saveChanges();
    observe("it is saved in the end", await server.fields("du/1"));
    observe("nothing left", session.advanced.hasChanges());
  },

  "a store during a save": async ({ open, observe, server }) => {
    const session = open().openSession();
    await session.store(new MyUser("first"), "du/2");
    const saving = session.saveChanges();
    const storing = session.store(new MyUser("second"), "du/3");
    await Promise.all([saving, storing]);
    await session.saveChanges();
    observe("both are there", [await server.fields("du/2"), await server.fields("du/3")]);
    observe("nothing left", session.advanced.hasChanges());
  },

  "a delete during a save": async ({ open, observe, server }) => {
    const session = open().openSession();
    const [one, two] = [new MyUser("one"), new MyUser("two")];
    await session.store(one, "du/4");
    await session.store(two, "du/5");
    await session.saveChanges();
    one.name = "changed";
    const saving = session.saveChanges();
    await session.delete(two);
    await saving;
    await session.saveChanges();
    observe("in the end", [await server.fields("du/4"), await server.document("du/5")]);
  },

  "two saves at once": async ({ open, observe, server }) => {
    const session = open().openSession();
    const user = new MyUser("a");
    await session.store(user, "du/6");
    observe("both succeed", await outcome(() => Promise.all([session.saveChanges(), session.saveChanges()])));
    observe("it is there", await server.fields("du/6"));
    // Which change vector npm `ravendb` ends with depends on which of its two requests comes first.
    observe("nothing left", session.advanced.hasChanges());
  },

  "two loads at once": async ({ open, observe, server }) => {
    await server.put("du/7", { name: "a" }, "MyUsers");
    const session = open().openSession();
    const [one, two] = await Promise.all([session.load("du/7"), session.load("DU/7")]);
    observe("give one object", one === two && one !== null);
    const [three, missing] = await Promise.all([session.load("du/7"), session.load("du/none")]);
    observe("with a missing one", [three === one, missing]);
  },

  "a store while its id comes": async ({ open, observe }) => {
    const session = open().openSession();
    const users = [new MyUser("a"), new MyUser("b")];
    const storing = users.map((user) => session.store(user));
    observe("no id yet", users[0].id);
    await Promise.all(storing);
    observe(
      "then",
      users.map(({ id }) => id),
    );
    await session.saveChanges();
    observe("saved", session.advanced.hasChanges());
  },

  "stores that are not awaited": async ({ open, observe, server }) => {
    const session = open().openSession();
    const user = new MyUser("semantic");
    const storing = session.store(user, "du/8");
    await Promise.all([storing, session.saveChanges()]);
    await session.saveChanges();
    observe("are saved by the next save at the latest", await server.fields("du/8"));
  },

  "listeners that look": async ({ open, observe, server }) => {
    await server.put("du/9", { name: "a" }, "MyUsers");
    const session = open().openSession();
    const user = (await session.load("du/9")) as Any;
    const seen: unknown[] = [];
    session.advanced.on("beforeStore", (e) => {
      seen.push(session.advanced.getDocumentId(e.getEntity()));
      seen.push(session.advanced.hasChanged(e.getEntity()));
      seen.push(session.advanced.isLoaded("du/9"));
      seen.push(session.advanced.numberOfRequests);
    });
    session.advanced.on("afterSaveChanges", (e) => {
      seen.push(session.advanced.getChangeVectorFor(e.entity));
      seen.push(session.advanced.hasChanged(e.entity));
    });
    user.name = "b";
    await session.saveChanges();
    observe("see", seen);
  },

  "listeners that defer": async ({ open, observe, server }) => {
    await server.put("du/old", { name: "old" }, "MyUsers");
    const session = open().openSession();
    session.advanced.on("beforeStore", () => session.advanced.defer(new DeleteCommandData("du/old")));
    await session.store(new MyUser("new"), "du/new");
    await session.saveChanges();
    observe("are in the same save", [await server.document("du/old"), session.advanced.numberOfRequests]);
    observe("nothing left", session.advanced.hasChanges());
  },

  "listeners that evict": async ({ open, observe, server }) => {
    const session = open().openSession();
    session.advanced.on("beforeStore", (e) => session.advanced.evict(e.getEntity()));
    await session.store(new MyUser("a"), "du/evict");
    observe("are refused", await outcome(() => session.saveChanges()));
    observe("nothing is sent", await server.document("du/evict"));
  },

  "listeners that change another entity": async ({ open, observe, server }) => {
    const session = open().openSession();
    const [one, two] = [new MyUser("one"), new MyUser("two")];
    await session.store(one, "du/l1");
    await session.store(two, "du/l2");
    await session.saveChanges();
    session.advanced.on("beforeStore", (e) => {
      if (e.getEntity() === one) two.name = "by listener";
    });
    one.name = "changed";
    await session.saveChanges();
    observe("it is saved with it", [await server.fields("du/l1"), await server.fields("du/l2")]);
  },

  "listeners that save": async ({ open, observe, server }) => {
    const session = open().openSession();
    const log: string[] = [];
    let inner: Promise<void> | undefined;
    session.advanced.on("afterSaveChanges", (e) => {
      log.push(e.documentId);
      inner ??= session.saveChanges();
    });
    await session.store(new MyUser("a"), "du/save");
    await session.saveChanges();
    await inner;
    observe("save nothing twice", log);
    observe("it is there", await server.fields("du/save"));
  },

  "getters that use the session": async ({ open, observe, server }) => {
    const session = open().openSession();
    const seen: unknown[] = [];
    const entity = { "@metadata": { "@collection": "Getters" } } as Any;
    Object.defineProperty(entity, "mine", {
      enumerable: true,
      get: () => {
        seen.push(session.advanced.getDocumentId(entity), session.advanced.isLoaded("du/getter"));
        return "computed";
      },
    });
    await session.store(entity, "du/getter");
    await session.saveChanges();
    observe("see it", seen.slice(0, 2));
    observe("it is stored", await server.fields("du/getter"));
  },
});
