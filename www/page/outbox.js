// Notes that can be written without a connection, and the outbox: what waits on this device, and what the app decides about it.
import { DocumentStore } from "raven-edge";
import { offline } from "raven-edge/offline";
import { at, element, write } from "./dom.js";
import { Network } from "./network.js";

/** How many ids the device keeps for notes that are added offline. */
const SPARE = 20;
/** Where the ids of this browser's notes are kept: the authority has no queries. */
const NOTES = "notes of this browser";

const { name, database } = await (await fetch("/server")).json();
const network = new Network();
const options = { timeout: 5_000, fetch: network.fetch, keep: Number.POSITIVE_INFINITY };
const store = new DocumentStore("/raven", database, {
  ...options,
  offline: offline({ user: "ann" }),
}).initialize();
/** Somebody else, whose connection is never cut. */
const other = new DocumentStore("/raven", database).initialize();
const conflicts = new Map();
/** Has the notes that the page shows, also without a connection. */
let session = store.openSession();

const known = () => JSON.parse(localStorage[NOTES] ?? "[]");
const remember = (ids) => {
  localStorage[NOTES] = JSON.stringify(ids);
};

async function add() {
  const note = { text: "New note", "@metadata": { "@collection": "Notes" } };
  await session.store(note);
  await session.queueChanges();
  remember([...known(), note.id]);
  return `${note.id} is on this device.`;
}

async function edit(id, text) {
  const note = await session.load(id);
  note.text = text;
  await session.queueChanges();
  return `The change of ${id} is on this device.`;
}

async function remove(id) {
  await session.delete(await session.load(id));
  await session.queueChanges();
  remember(known().filter((other) => other !== id));
  return `The deletion of ${id} is on this device.`;
}

async function changeElsewhere() {
  const theirs = other.openSession();
  const [id] = known();
  const note = id && (await theirs.load(id));
  if (!note) return "Nobody else sees a note yet: add one, and let it be saved.";
  note.text = `Changed by somebody else at ${new Date().toLocaleTimeString()}`;
  await theirs.saveChanges();
  return `Somebody else has changed ${id}.`;
}

async function toggleNetwork() {
  network.online = !network.online;
  at("offline").setAttribute("aria-pressed", String(!network.online));
  write(at("offline"), network.online ? "Go offline" : "Go online");
  if (network.online) await look();
  return network.online ? "The page has a connection." : "The page has no connection. Its requests fail.";
}

/** Sends what waits, and shows what others have written since. */
async function look() {
  await store.offline.flush({ timeout: 5_000 });
  session = store.openSession();
}

async function togglePause() {
  const { paused } = store.offline.status();
  await (paused ? store.offline.resume() : store.offline.pause());
  return paused ? "Changes are sent again." : "Nothing is sent until you resume, not even after a reload.";
}

async function flush() {
  return (await store.offline.flush({ timeout: 5_000 })) ? "Everything is saved." : "Something still waits.";
}

async function exportAll() {
  at("exported").textContent = await store.offline.export();
  at("exported").hidden = false;
  return "This is what support would get.";
}

/** Decides a conflict for my side or theirs. */
async function resolve(change, choice) {
  const renamed = await conflicts.get(change.id).resolve(choice);
  conflicts.delete(change.id);
  remember(known().map((id) => renamed[id] ?? id));
  await look();
  return choice === "mine" ? "Your note has replaced theirs." : "Their note has replaced yours.";
}

async function discard(change) {
  await store.offline.discard(change);
  session = store.openSession();
  return "The change is given up.";
}

function button(text, label, work) {
  const made = element("button", "", text);
  Object.assign(made, { type: "button", ariaLabel: label, onclick: () => act(work) });
  return made;
}

async function noteRow(id) {
  const row = element("tr");
  row.append(element("td", "", id));
  const cell = row.insertCell();
  const note = await session.load(id).catch(() => undefined);
  if (!note) {
    cell.textContent = note === null ? "deleted" : "not on this device";
    return row;
  }
  const text = cell.appendChild(element("input"));
  Object.assign(text, {
    value: note.text,
    ariaLabel: `Text of ${id}`,
    onchange: () => act(() => edit(id, text.value)),
  });
  row.insertCell().append(button("Delete", `Delete ${id}`, () => remove(id)));
  return row;
}

const textOf = (note) => (note ? `“${note.text}”` : "deleted");

function changeRow(change) {
  const row = element("tr");
  const conflict = conflicts.get(change.id);
  const sides = conflict?.documents.map(({ mine, theirs }) => [textOf(mine), textOf(theirs)]);
  const both = sides?.map(([mine, theirs]) => `conflict: yours is ${mine}, theirs is ${theirs}`).join("; ");
  const state = both ?? change.error?.message ?? change.state;
  for (const text of [change.documents.join(", "), state, change.queuedAt.toLocaleTimeString()])
    row.append(element("td", "", text));
  const cell = row.insertCell();
  const of = change.documents.join(", ");
  if (conflict)
    for (const choice of ["mine", "theirs"])
      cell.append(button(`Keep ${choice}`, `Keep ${choice} of ${of}`, () => resolve(change, choice)));
  cell.append(button("Discard", `Discard the change of ${of}`, () => discard(change)));
  return row;
}

function figure([term, value]) {
  const group = element("div");
  group.append(
    element("dt", "", term),
    element("dd", "", value === true ? "yes" : value === false ? "no" : `${value}`),
  );
  return group;
}

function fill(name, rows) {
  at(name).tBodies[0].replaceChildren(...rows);
  at(name).hidden = rows.length === 0;
  at(`no-${name}`).hidden = rows.length > 0;
}

async function showOutbox() {
  const { oldest, ...status } = store.offline.status();
  const figures = Object.entries({ ...status, oldest: oldest?.toLocaleTimeString() ?? "none" });
  at("status").replaceChildren(...figures.map(figure));
  at("pause").setAttribute("aria-pressed", String(status.paused));
  write(at("pause"), status.paused ? "Resume" : "Pause");
  fill("changes", (await store.offline.changes()).map(changeRow));
}

async function showNotes() {
  fill("notes", await Promise.all(known().map(noteRow)));
}

/** Does something, and shows what it has changed, or what went wrong. */
async function act(work) {
  document.body.ariaBusy = "true";
  try {
    write(at("message"), await work());
  } catch ({ message }) {
    write(at("message"), message);
  }
  await Promise.all([showNotes(), showOutbox()]);
  document.body.ariaBusy = "false";
}

store.on("offline", () => showOutbox());
store.on("needsAuth", ({ user }) => write(at("message"), `${user} must sign in.`));
store.on("conflict", (conflict) => {
  conflicts.set(conflict.change.id, conflict);
  showOutbox();
});
const retry = async () => {
  await store.offline.retry();
  return "What was refused is sent again.";
};
const actions = { add, elsewhere: changeElsewhere, offline: toggleNetwork, pause: togglePause };
for (const [id, work] of Object.entries({ ...actions, flush, retry, export: exportAll }))
  at(id).onclick = () => act(work);
write(at("server"), `${name}, database ${database}`);
await act(async () => {
  for (const { change, ...conflict } of await store.offline.conflicts())
    conflicts.set(change.id, { change, ...conflict });
  await store.hilo("notes").reserve(SPARE);
  return `This device has ids for ${store.hilo("notes").status().parked} notes.`;
});
document.body.dataset.ready = "";
