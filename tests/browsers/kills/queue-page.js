// A page that queues changes until it dies. It reports each one twice: before it is queued, and when the device has it.

import { offline } from "/lib/entries/offline.js";
import { DocumentStore } from "/lib/entries/web.js";

const { database, device } = globalThis.setting;
const store = new DocumentStore("/raven", database, {
  timeout: 1_500,
  keep: 50,
  offline: offline({ user: device }),
}).initialize();

const note = (body) => fetch("/note", { method: "POST", body: JSON.stringify(body) });

/** The documents of this page, with the marks that the app has set. */
const own = [];

const counter = (mark) => ({
  type: "PATCH",
  id: `counters/${mark.length % 3}`,
  serialize() {
    const Script = "this.count++; this.marks.push(args.mark)";
    return { Type: "PATCH", Id: this.id, ChangeVector: null, Patch: { Script, Values: { mark } } };
  },
});

const actions = {
  async count(session, mark) {
    session.advanced.defer(counter(mark));
    return { kind: "count" };
  },
  async create(session, mark) {
    const item = { marks: [mark], "@metadata": { "@collection": "Items" } };
    await session.store(item);
    own.push(item.id);
    session.advanced.attachments.store(item, mark, new Blob([mark]));
    return { kind: "mark", id: item.id, isAttached: true };
  },
  async change(session, mark) {
    const id = own[own.length - 1];
    if (!id) return actions.create(session, mark);
    const item = await session.load(id);
    item.marks.push(mark);
    session.advanced.defer(counter(mark));
    return { kind: "both", id };
  },
  async remove(session, mark) {
    if (own.length < 2) return actions.count(session, mark);
    const id = own.shift();
    await session.delete(await session.load(id));
    return { kind: "remove", id };
  },
};

const ORDER = ["create", "count", "change", "change", "count", "create", "change", "remove"];

/** Queues changes; `name` begins their marks. */
globalThis.work = async (name, count) => {
  for (let turn = 0; turn < count; turn++) {
    const mark = `${name}-${turn}`;
    const session = store.openSession();
    try {
      const about = await actions[ORDER[turn % ORDER.length]](session, mark);
      await note({ begun: mark, device, ...about });
      await session.queueChanges();
      note({ queued: mark });
    } catch (error) {
      // No number, or no connection for a load: nothing was queued.
      note({ failed: mark, code: error.code, message: error.message }).catch(() => {});
    }
  }
};

/** Sends what waits; what is left, if anything. */
globalThis.finish = async () => {
  await store.offline.flush({ timeout: 40_000 });
  const { queued, conflicts, refused, unknown, damaged } = store.offline.status();
  const left = { queued, conflicts, refused, unknown, damaged };
  return Object.values(left).some((count) => count > 0) ? await store.offline.export() : "";
};

globalThis.begin();
