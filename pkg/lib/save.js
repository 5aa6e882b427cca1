// Sends what a unit of work holds, all or nothing.

import { DocumentEvent, StoreEvent } from "./document-events.js";
import { committed, isLost, settle, settleDoubt } from "./doubt.js";
import { fail } from "./error.js";
import { follow } from "./follow.js";
import { isObject } from "./given.js";
import { later } from "./later.js";
import { restamp } from "./metadata.js";
import { takeOver } from "./results.js";
import { assertApart, check } from "./save-checks.js";
import { explained } from "./textless.js";

/** So often listeners may store for what they have stored. */
const ROUNDS = 64;

/** All is saved, but was not replicated or indexed in time. */
const TOO_LATE = "Raven.Client.Exceptions.RavenTimeoutException";

export async function save(unit) {
  const { tracker, sent } = unit;
  if (unit.doubtful) await settleDoubt(unit);
  const deleted = new Set();
  const before = (commands) => {
    for (const command of commands) command.onBeforeSaveChanges?.(unit.session);
  };
  toBeDeleted(unit, deleted);
  before(unit.deferred);
  const told = unit.deferred.length;
  const slots = explained(unit, () => changed(unit));
  // What `beforeStore` listeners have deleted and deferred.
  toBeDeleted(unit, deleted);
  before(unit.deferred.slice(told));
  // What was never sent is not there: under one of our ids there could only be somebody else's.
  const sentOnce = (slot) => !tracker.isFresh(slot) || unit.doubtful?.has(slot);
  const gone = [...deleted].filter((slot) => tracker.isNamed(slot) && sentOnce(slot));
  const reads = unit.concurrency === "WritesAndReads" ? untouched(unit, slots, deleted) : undefined;
  if (slots.length + gone.length + unit.deferred.length === 0 && !reads) {
    for (const slot of deleted) tracker.drop(slot);
    return;
  }
  check(unit, slots);
  sent.begin();
  // The app's own code may change its mind while texts are made.
  const { cluster } = unit;
  const strict = unit.optimistic || cluster;
  /** Whose result stands where in the answer: the slot, below 0 for what is none of the session's. */
  const items = [];
  const add = (command, slot) => {
    items.push(slot);
    // RavenDB would leave it out without a word.
    if (!cluster && /^CompareExchange/.test(command?.Type))
      fail("InvalidOperation", `${command.Type} needs transactionMode: "ClusterWide"`);
    const text = JSON.stringify(command);
    if (text === undefined) fail("InvalidArgument", "a deferred command has nothing to send");
    sent.add(text);
  };
  for (const slot of gone) add(deletion(tracker, slot, strict), -1);
  const convert = converter(unit);
  for (let at = 0; at < slots.length; ) {
    const chunk = slots.slice(at, at + sent.room);
    explained(unit, () => sent.put(chunk, strict, convert));
    assertThere(unit, chunk);
    items.push(...chunk);
    at += chunk.length;
  }
  assertThere(unit, slots);
  // Before patches, which would be taken for somebody else's changes.
  if (reads) add(reads, -1);
  // What the app's code has deferred until now travels along; what it defers later is for the next save.
  const list = unit.deferred;
  const deferred = [...list];
  const commands = { list, count: list.length };
  unit.underWay = deferred;
  for (const command of deferred) {
    add(
      command.serialize(unit.conventions),
      command.type === "PUT" && command.id ? tracker.slot(command.id) : -1,
    );
  }
  const fresh = !reads && gone.length + deferred.length === 0 && slots.every((slot) => tracker.isFresh(slot));
  let said = {};
  try {
    if (globalThis.navigator?.onLine === false) await assertReachable(unit);
    const isSpecial = cluster || Object.keys(unit.saveOptions).length > 0;
    // Before anything is sent: what follows patches must not be missing then.
    const part = (isSpecial || deferred.some(({ type }) => type !== "DELETE")) && (await later("session"));
    sent.finish(cluster);
    const [query, wait] = isSpecial ? [part.query(unit, cluster), part.wait(unit)] : ["", 0];
    const task = unit.enter((core) => core.save(query, sent.body(), wait));
    said = await unit.run(task, ({ text }) => takeOver(unit, items, text));
  } catch (error) {
    if (error.type === TOO_LATE) await committed(unit, slots, deleted, commands, error);
    else if (isLost(error)) await settle(unit, slots, fresh, error);
    // What was lost before has arrived meanwhile, and is what the server refuses this for.
    else if (error.code === "Concurrency" && unit.doubtful && (await settleDoubt(unit))) return save(unit);
    else throw error;
  } finally {
    unit.underWay = [];
    sent.end();
  }
  unit.doubtful = undefined;
  const { results = [], made, error, text } = said;
  // What is no JSON cannot be followed.
  const patched = error ? [] : results.slice(results.length - commands.count);
  finish(unit, slots, deleted, commands, made, patched, text);
  if (error) throw error;
}

/**
 * A browser does not tell a request that could not be sent from a lost response. Where it says that it is offline (a server on
 * this machine may be reachable all the same), a read goes first: if that fails, nothing of the save was sent.
 */
async function assertReachable(unit) {
  await unit.ask({ route: "docs?id=Raven/Hilo/" }).catch((error) => {
    if (!error.outage) return;
    error.unsent = true;
    throw error;
  });
}

/** The command that checks what was only read, if there is anything. */
function untouched(unit, slots, deleted) {
  const { tracker } = unit;
  const touched = new Set([...slots, ...deleted]);
  const read = [...tracker.slots()].filter((slot) => !touched.has(slot) && !tracker.isNew(slot));
  if (read.length === 0) return;
  const entries = read.map((slot) => [tracker.idAt(slot), tracker.stamps.vector(slot) ?? null]);
  return { Type: "BatchTrackChanges", TrackedEntities: Object.fromEntries(entries) };
}

/** What a session checks it checks when it deletes, too. */
function deletion(tracker, slot, strict) {
  const ChangeVector = strict ? (tracker.stamps.vector(slot) ?? null) : null;
  return { Type: "DELETE", Id: tracker.idAt(slot), ChangeVector };
}

/** Slots to be sent, after listeners had their say, also of what they have changed and stored themselves. */
function changed(unit) {
  const told = new Set();
  const converted = new Set();
  for (let round = 0; round < ROUNDS; round++) {
    // What these listeners change is a change, also of a document that the app has not changed.
    tellConversion(unit, unit.tracker.shown, converted);
    const slots = toBeSent(unit);
    // Before listeners change what is not saved.
    assertApart(unit, slots);
    if (!unit.heard("beforeStore")) return slots;
    unit.listening = true;
    try {
      if (!tell(unit, "beforeStore", slots, told)) {
        // Once more, of what `beforeStore` listeners have changed.
        tellConversion(unit, slots, new Set());
        return slots;
      }
    } finally {
      unit.listening = false;
    }
  }
  fail("InvalidOperation", "beforeStore listeners store without end");
}

/** Announces the conversion of entities to documents that were not yet `told`. */
function tellConversion(unit, slots, told) {
  const name = "beforeConversionToDocument";
  if (!unit.heard(name)) return;
  for (const slot of slots) {
    const entity = unit.tracker.at(slot);
    if (told.has(slot) || entity === undefined) continue;
    told.add(slot);
    unit.emit(name, { session: unit.session, id: unit.tracker.idAt(slot) ?? null, entity });
  }
}

function toBeSent({ tracker, conventions, session }) {
  const ignores = conventions.shouldIgnoreEntityChanges;
  const all = tracker.changed();
  return ignores ? all.filter((slot) => !ignores(session, tracker.at(slot), tracker.idAt(slot))) : all;
}

/** Adds to `deleted` what is to be deleted. */
function toBeDeleted(unit, deleted) {
  const { tracker } = unit;
  const slots = tracker.deleted.filter((slot) => tracker.at(slot) !== undefined);
  assertApart(unit, slots);
  tell(unit, "beforeDelete", slots, deleted);
}

/** Announces what was not yet `told`; gives whether there was something. */
function tell(unit, name, slots, told) {
  const untold = slots.filter((slot) => !told.has(slot));
  announce(unit, name, untold);
  for (const slot of untold) told.add(slot);
  return untold.length > 0;
}

function announce(unit, name, slots) {
  if (!unit.heard(name)) return;
  const Event = name === "beforeStore" ? StoreEvent : DocumentEvent;
  for (const slot of slots) {
    const entity = unit.tracker.at(slot);
    if (entity !== undefined) unit.emit(name, new Event(unit.session, unit.tracker.idAt(slot), entity));
  }
  if (name === "beforeStore") assertThere(unit, slots);
}

/** The app's code has run: it may have taken out what is being saved. */
function assertThere(unit, slots) {
  if (slots.some((slot) => unit.tracker.at(slot) === undefined))
    fail("InvalidArgument", "an entity was taken out of the session while it was saved");
}

/** Other texts than the entities make, where listeners want them. */
function converter(unit) {
  const { tracker } = unit;
  if (!unit.heard("afterConversionToDocument")) return;
  return (slot, document) => {
    const entity = tracker.at(slot);
    const id = tracker.idAt(slot) ?? null;
    const made = { value: JSON.parse(JSON.stringify(document)) };
    unit.emit("afterConversionToDocument", { session: unit.session, id, entity, document: made });
    if (!isObject(made.value) || Array.isArray(made.value))
      fail("InvalidArgument", "an entity is not an object in JSON; a listener has replaced it by a value");
    return made.value;
  };
}

/**
 * `commands`: how many of which list of deferred ones were sent; `made`: slots whose ids the server has made; `results`, `text`: see
 * `follow`.
 */
export function finish(unit, slots, deleted, { list, count } = {}, made = [], results = [], text = "") {
  const { tracker } = unit;
  for (const slot of made) {
    const entity = tracker.at(slot);
    if (entity !== undefined) unit.show(entity, tracker.idAt(slot));
  }
  restamp(unit, slots);
  for (const slot of deleted) tracker.drop(slot);
  // After a clear there is another list, of which nothing was sent.
  if (unit.deferred === list) unit.deferred = list.slice(count);
  unit.settled();
  // Before listeners, which may throw.
  const written = follow(unit, results, text);
  announce(unit, "afterSaveChanges", [...slots, ...written]);
}
