// Sends what a unit of work holds, all or nothing.

import { DocumentEvent, StoreEvent } from "./document-events.js";
import { fail } from "./error.js";
import { follow } from "./follow.js";
import { isObject } from "./given.js";
import { later } from "./later.js";
import { restamp } from "./metadata.js";
import { applied, begin, failed, PLAN } from "./outcome.js";
import { takeOver } from "./results.js";
import { assertApart, check } from "./save-checks.js";
import { explained } from "./textless.js";

/** So often listeners may store for what they have stored. */
const ROUNDS = 64;

/** What a plan wants of a document; see `src/session/slots.rs`. */
const [PUT, DELETE, CHECK, NO_ID] = [0, 1, 2, 3];

export async function save(unit) {
  const { tracker, sent } = unit;
  await begin(unit);
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
  // The app's own code may change its mind while texts are made.
  const { cluster } = unit;
  const plan = planned(unit, slots, deleted);
  if (plan.length + unit.deferred.length === 0) {
    for (const slot of deleted) tracker.drop(slot);
    return;
  }
  const commands = {};
  let said = {};
  try {
    check(unit, slots);
    sent.begin();
    const items = write(unit, plan, commands, cluster);
    if (globalThis.navigator?.onLine === false) await assertReachable(unit);
    const isSpecial = cluster || Object.keys(unit.saveOptions).length > 0;
    // Before anything is sent: what reads the answer to patches must not be missing then.
    const part =
      (isSpecial || unit.underWay.some(({ type }) => type !== "DELETE")) && (await later("session"));
    const [query, wait] = isSpecial ? [part.query(unit, cluster), part.wait(unit)] : ["", 0];
    const task = unit.enter((core) => core.save(query, sent.body(), wait, mode(unit)));
    said = await unit.run(task, ({ text }) => takeOver(unit, items, text));
    applied(unit);
  } catch (error) {
    if ((await failed(unit, error, { slots, deleted, commands })) === PLAN) return await again(unit);
  } finally {
    unit.underWay = [];
    sent.end();
  }
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

/** What is left of a save is planned anew: a part of it was saved already. */
function again(unit) {
  unit.underWay = [];
  unit.sent.end();
  return save(unit);
}

/** What is sent about documents of the session, as the core decides it. */
function planned(unit, slots, deleted) {
  const { tracker } = unit;
  const documents = [...deleted].map((slot) => tracker.report(slot, DELETE));
  for (const slot of slots) documents.push(tracker.report(slot, PUT));
  if (unit.concurrency === "WritesAndReads") {
    const written = new Set(slots);
    for (const slot of tracker.slots())
      if (!written.has(slot) && !deleted.has(slot) && !tracker.isNew(slot))
        documents.push(tracker.report(slot, CHECK));
  }
  const plan = unit.enter((core) => core.plan(mode(unit), Uint32Array.from(documents)));
  if (plan.length === 1 && (plan[0] & 3) === NO_ID)
    fail(
      "InvalidOperation",
      "a document cannot be deleted: the outcome of its save is unknown, and so is the id that the server may have made; look for it, and evict the entity",
    );
  return plan;
}

/** How the session saves, and with which deferred commands, as bits; see `src/session/plan.rs`. */
function mode({ optimistic, cluster, deferred }) {
  const isOnce = deferred.some(({ type }) => type !== "DELETE");
  const isGuarded = deferred.some(({ changeVector }) => changeVector != null);
  return (
    (optimistic || cluster ? 1 : 0) | (deferred.length > 0 ? 2 : 0) | (isOnce ? 4 : 0) | (isGuarded ? 8 : 0)
  );
}

/**
 * Makes the text of a batch; `commands` gets how many of which list of deferred ones travel along. Gives whose result stands where
 * in the answer: the slot, below 0 for what is none of the session's.
 */
function write(unit, plan, commands, cluster) {
  const { tracker, sent } = unit;
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
  const of = (want) => plan.filter((bits) => (bits & 3) === want);
  for (const bits of of(DELETE))
    add({ Type: "DELETE", Id: tracker.idAt(bits >>> 8), ChangeVector: tracker.stamps.expected(bits) }, -1);
  const convert = converter(unit);
  const puts = of(PUT);
  const slots = [...puts].map((bits) => bits >>> 8);
  for (let at = 0; at < puts.length; ) {
    const { room } = sent;
    explained(unit, () => sent.put(puts.slice(at, at + room), convert));
    const chunk = slots.slice(at, at + room);
    assertThere(unit, chunk);
    items.push(...chunk);
    at += chunk.length;
  }
  assertThere(unit, slots);
  // Before patches, which would be taken for somebody else's changes.
  const read = [...of(CHECK)].map((bits) => [tracker.idAt(bits >>> 8), tracker.stamps.expected(bits)]);
  if (read.length > 0) add({ Type: "BatchTrackChanges", TrackedEntities: Object.fromEntries(read) }, -1);
  // What the app's code has deferred until now travels along; what it defers later is for the next save.
  const list = unit.deferred;
  unit.underWay = [...list];
  Object.assign(commands, { list, count: list.length });
  for (const command of unit.underWay)
    add(
      command.serialize(unit.conventions),
      command.type === "PUT" && command.id ? tracker.slot(command.id) : -1,
    );
  sent.finish(cluster);
  return items;
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
