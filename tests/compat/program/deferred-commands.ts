// Commands that a save sends along: those of the client, and those of the app.
import { BatchPatchCommandData, PatchRequest, PutCommandDataBase } from "client";
import { area, outcome } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

class MyUser {
  id?: string;
  constructor(public name = "") {}
}

const script = (text: string, values: Record<string, unknown> = {}) =>
  Object.assign(PatchRequest.forScript(text), { values });

export default area({
  "a patch of several documents": async ({ open, observe, server }) => {
    for (const id of ["d/1", "d/2", "d/3"]) await server.put(id, { n: 1 }, "Numbers");
    const session = open().openSession();
    session.advanced.defer(
      new BatchPatchCommandData(script("this.n += args.by", { by: 4 }), null as Any, "d/1", "d/2"),
    );
    await session.store(new MyUser("a"), "d/user");
    observe("the save", await outcome(() => session.saveChanges()));
    observe("are patched", [await server.fields("d/1"), await server.fields("d/2")]);
    observe("others are not", await server.fields("d/3"));
    observe("the rest is saved", await server.fields("d/user"));
    observe("nothing is left", session.advanced.hasChanges());
    await session.saveChanges();
    observe("once", [await server.fields("d/1"), session.advanced.numberOfRequests]);
  },

  "… with what is missing": async ({ open, observe, server }) => {
    await server.put("d/4", { n: 1 }, "Numbers");
    const session = open().openSession();
    session.advanced.defer(
      new BatchPatchCommandData(script("this.n = 2"), script("this.made = true"), "d/4", "d/none"),
    );
    observe("the save", await outcome(() => session.saveChanges()));
    observe("there", await server.fields("d/4"));
    observe("missing", await server.fields("d/none"));
  },

  "… with change vectors": async ({ open, observe, server }) => {
    await server.put("d/5", { n: 1 }, "Numbers");
    await server.put("d/6", { n: 1 }, "Numbers");
    const old = (await server.vector("d/5")) as string;
    const patch = script("this.n = 2");
    const session = open().openSession();
    session.advanced.defer(new BatchPatchCommandData(patch, null as Any, { id: "d/5", changeVector: old }));
    observe("as it was", await outcome(() => session.saveChanges()));
    observe("patched", await server.fields("d/5"));
    const other = open().openSession();
    other.advanced.defer(
      new BatchPatchCommandData(
        patch,
        null as Any,
        { id: "d/6", changeVector: null as Any },
        { id: "d/5", changeVector: old },
      ),
    );
    observe("not as it was", await outcome(() => other.saveChanges()));
    observe("nothing is patched", await server.fields("d/6"));
  },

  "… of what the session has": async ({ open, observe, server }) => {
    await server.put("d/7", { n: 1 }, "Numbers");
    const session = open().openSession();
    const entity = (await session.load("d/7")) as Any;
    session.advanced.defer(new BatchPatchCommandData(script("this.n = 2"), null as Any, "d/7"));
    await session.saveChanges();
    observe("its entity stays", entity.n);
    observe("no change", session.advanced.hasChanges());
    await session.advanced.refresh(entity);
    observe("until it is read again", entity.n);
  },

  "… that makes no sense": async ({ observe }) => {
    const make = (...args: Any[]) => outcome(() => new (BatchPatchCommandData as Any)(...args).type);
    const patch = script("this.n = 2");
    observe("no patch", await make(null, null, "d/1"));
    observe("an empty id", await make(patch, null, ""));
    observe("an id twice", await make(patch, null, "d/1", "D/1"));
    observe("its type", await make(patch, null, "d/1"));
    const made = new BatchPatchCommandData(
      patch,
      null as Any,
      ...(["d/1", { id: "d/2", changeVector: "A:1" }] as Any[]),
    );
    observe(
      "ids",
      made.ids.map(({ id, changeVector }) => [id, changeVector ?? null]),
    );
    observe("name", made.name);
    observe("patch", made.patch === patch);
  },

  "a put that keeps what it overwrites as a revision": async ({ open, observe, server }) => {
    await server.put("d/8", { n: 1 }, "Kept");
    const session = open().openSession();
    const none = null as unknown as string;
    const document = { n: 2, "@metadata": { "@collection": "Kept" } };
    session.advanced.defer(new PutCommandDataBase("d/8", none, none, document, "Before"));
    await session.saveChanges();
    const revisions: Any[] = await session.advanced.revisions.getFor("d/8");
    observe(
      "revisions",
      revisions.map(({ n }) => n),
    );
  },

  "a command of the app": async ({ open, observe, server }) => {
    const session = open().openSession();
    const log: unknown[] = [];
    const command = {
      id: "d/own",
      name: null as unknown as string,
      changeVector: null as unknown as string,
      type: "PUT" as const,
      serialize(conventions: Any) {
        log.push(conventions.identityPartsSeparator);
        const Document = { n: 5, "@metadata": { "@collection": "Owns" } };
        return { Type: "PUT", Id: this.id, ChangeVector: null, Document };
      },
      onBeforeSaveChanges(given: Any) {
        log.push([given === session, given.isLoaded("d/own"), typeof given.getMetadataFor]);
      },
    };
    session.advanced.defer(command as Any);
    observe("is a change", session.advanced.hasChanges());
    await session.saveChanges();
    observe("what it is given", log);
    observe("is sent", await server.fields("d/own"));
  },

  "a command without hooks": async ({ open, observe, server }) => {
    await server.put("d/counted", { n: 1 }, "Numbers");
    const session = open().openSession();
    const Counters = {
      DocumentId: "d/counted",
      Operations: [{ Type: "Increment", CounterName: "likes", Delta: 3 }],
    };
    session.advanced.defer({
      id: "d/counted",
      name: null as unknown as string,
      changeVector: null as unknown as string,
      type: "Counters",
      serialize: () => ({ Type: "Counters", Id: "d/counted", Counters }),
    } as Any);
    await session.store(new MyUser("beside"), "d/beside");
    observe("counters", await outcome(() => session.saveChanges()));
    const answer = await server.send("GET", "/counters?docId=d/counted&counter=likes");
    observe("counted", ((await answer.json()) as Any).Counters[0].TotalValue);
    observe("what is beside it", await server.fields("d/beside"));
  },

  "a command that the server does not know": async ({ open, observe, server }) => {
    const session = open().openSession();
    session.advanced.defer({
      id: "d/x",
      name: null as unknown as string,
      changeVector: null as unknown as string,
      type: "Nonsense",
      serialize: () => ({ Type: "Nonsense", Id: "d/x" }),
    } as Any);
    await session.store(new MyUser("beside"), "d/unsent");
    observe("the save", ((await outcome(() => session.saveChanges())) as Any)?.error instanceof Error);
    observe("nothing is saved", await server.document("d/unsent"));
  },
});
