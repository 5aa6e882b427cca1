// A page that works until it dies: saves, ids, and changes that it queues on the device.

import { offline } from "/dist/entries/offline.js";
import { DocumentStore } from "/dist/entries/web.js";
import { actions, content, follow } from "/drill/actions.js";

const { notes, database, device, keep, shared, began } = globalThis.setting;
const who = `${device}x${Math.random().toString(36).slice(2, 8)}`;
let count = 0;
let isEnding = false;

const note = (report) => fetch(notes, { method: "POST", body: JSON.stringify({ ...report, who: device }) });
const noteLater = (report) => note(report).catch(() => {});
const mark = (letter) => `${letter}~${who}~${++count}~`;
const below = (limit) => Math.floor(Math.random() * limit);
/** All devices change the same document for some seconds, then the next one. */
const round = () => Math.floor((Date.now() - began) / shared.period) % shared.count;

let client;

function open() {
  const store = new DocumentStore("/raven", database, {
    timeout: 4_000,
    keep,
    headers: () => ({ "x-user": device }),
    offline: offline({ user: device }),
  });
  store.conventions.disableTopologyUpdates = true;
  store.initialize();
  store.on("storage", ({ error }) => noteLater({ kind: "storage", message: error.message }));
  store.on("conflict", (event) => solve(event).catch(report("conflict")));
  store.on("regression", ({ offline: what = "ids", tag }) => {
    noteLater({ kind: "regression", what, tag });
  });
  // The page that was told of the restored database may have died before it went on.
  store.on("offline", ({ paused }) => paused && restored(store).catch(report("resume")));
  client = { store, seen: follow(store) };
}

const report = (where) => (error) =>
  noteLater({ kind: "trouble", where, code: error.code, message: error.message });

/** The database was restored: what waits is reported before it is sent to the new one. */
async function restored(store) {
  await note({ kind: "waiting", text: await store.offline.export() });
  await store.offline.resume();
}

/** Marks are never lost by a conflict: lists are united; a change of a document that is gone stores it again. */
async function solve({ documents, resolve }) {
  await note({ kind: "conflict", documents: documents.map(({ id }) => id) });
  // A removal removes what others have written meanwhile, too.
  for (const { mine, theirs } of documents) {
    if (mine || !theirs) continue;
    const attached = theirs["@metadata"]?.["@attachments"] ?? [];
    await note({ kind: "removing", marks: [...theirs.marks, ...attached.map(({ Name }) => Name)] });
  }
  // A new document whose id was taken gets another one.
  if (documents.some(({ base, mine, theirs }) => !base || !mine || !theirs)) return resolve("mine");
  await resolve(
    documents.map(({ mine, theirs }) => ({
      ...theirs,
      marks: [...new Set([...theirs.marks, ...mine.marks])],
    })),
  );
}

/** Queues what a session has changed; reports it before, when the device has it, and when the server has it. */
async function queue(session, marks, removes) {
  await note({ kind: "begun", marks, removes });
  const change = await session.queueChanges();
  noteLater({ kind: "queued", marks });
  change.saved.then(() => noteLater({ kind: "saved", marks }), report("queued"));
}

/** The ids of documents of this page. */
const own = [];

/** The attachment that `create` stores with the document of this mark: it gets the next number. */
const besides = (mark) => mark.replace(/^m(.*?)(\d+)~$/, (_, who, number) => `a${who}${Number(number) + 1}~`);

const tools = actions({ note, mark, below, shared: () => `shared/${round()}` });

const steps = {
  save: tools.save,
  edit: tools.edit,
  ids: tools.ids,
  async create({ store, seen }) {
    const session = store.openSession();
    const [first, name] = [mark("m"), mark("a")];
    const item = await tools.store(session, seen, "items", { marks: [first] });
    session.advanced.attachments.store(item, name, new Blob([content(name)]));
    await queue(session, [first, name]);
    own.push(item.id);
  },
  async change({ store }) {
    const id = own.at(-1);
    if (!id) return;
    const session = store.openSession();
    const item = await session.load(id);
    if (!item) return;
    const marks = [mark("m"), mark("m")];
    item.marks.push(marks[0]);
    session.advanced.patch(`counts/${round()}`, { named: "count", parameters: { mark: marks[1] } });
    await queue(session, marks);
  },
  async count({ store }) {
    const session = store.openSession();
    const marks = [mark("m")];
    session.advanced.patch(`counts/${round()}`, { named: "count", parameters: { mark: marks[0] } });
    await queue(session, marks);
  },
  /** A queued change of a document that others change, too: it ends in conflicts. */
  async share({ store }) {
    const session = store.openSession();
    const document = await session.load(`shared/${round()}`);
    const marks = [mark("m")];
    document.marks.push(...marks);
    await queue(session, marks);
  },
  async remove({ store }) {
    if (own.length < 3) return;
    const session = store.openSession();
    const id = own.shift();
    const item = await session.load(id);
    if (!item) return;
    // An attachment that waits is not in the metadata. After a restored backup, or a conflict, the id may be that of another document.
    const attached = session.advanced.getMetadataFor(item)["@attachments"] ?? [];
    await session.delete(item);
    await queue(
      session,
      [mark("m")],
      [...item.marks, ...item.marks.map(besides), ...attached.map(({ name }) => name)],
    );
  },
  release: ({ store }) => store.release(),
  async dispose({ store }) {
    open();
    await store.dispose();
  },
};

const ORDER =
  "save save save edit edit ids ids create create change change change count count share share remove".split(
    " ",
  );

let working;

/** Works until the page dies or `finish` is called. */
globalThis.work = () => {
  working ??= (async () => {
    while (!isEnding) {
      const step = below(40) === 0 ? ["release", "dispose"][below(2)] : ORDER[below(ORDER.length)];
      await steps[step](client).catch(report(step));
      await new Promise((resolve) => setTimeout(resolve, 20 + below(250)));
    }
  })();
};

/** Sends what waits; what is left, if anything. Called until nothing is: a call of a page may not take long. */
globalThis.finish = async () => {
  isEnding = true;
  await working;
  const { store } = client;
  if (await store.offline.flush({ timeout: 5_000 })) return "";
  const { conflicts, unknown, refused } = store.offline.status();
  // What has an unknown outcome, or was refused while the server was ending, is the app's decision.
  if (unknown + refused > 0) await store.offline.retry();
  if (conflicts > 0)
    for (const event of await store.offline.conflicts()) await solve(event).catch(report("finish"));
  return `${JSON.stringify(store.offline.status())} ${await store.offline.export()}`;
};

open();
globalThis.begin();
