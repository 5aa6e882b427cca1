// Sends the changes of a session, all or nothing.

import {
  COMMAND_CHECK,
  COMMAND_DELETE,
  COMMAND_NO_ID,
  COMMAND_PUT,
  MODE_DEFERRED,
  MODE_GUARDED,
  MODE_ONCE,
  MODE_STRICT,
  NEXT_PLAN,
} from "../../gen/protocol.js";
import { isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { changedSlots } from "../documents/changed-documents.js";
import type { Entity } from "../documents/entity-types.js";
import { explained } from "../documents/unserializable.js";
import { later } from "../runtime/load-part.js";
import { StoreEvent } from "../session/document-event-arguments.js";
import type { SessionState } from "../session/session-state.js";
import type { DocumentConventions } from "../store/conventions.js";
import type { ICommandData } from "./batch-commands.js";
import { type TakenResults, takeOver } from "./batch-response.js";
import { applied, begin, failed, type SaveError } from "./find-outcome.js";
import { announce, finish, type SentCommands } from "./finish-save.js";
import { assertApart, check } from "./save-checks.js";

/** Maximum rounds of `beforeStore`: listeners may store further documents, which are announced in the next round. */
const ROUNDS = 64;

/** Keeps the batch of a session on the device, given its plan; resolves with `false` if it has to be sent instead. */
export type KeepBatch = (plan: Uint32Array) => Promise<boolean>;

/** Saves the changes and deferred commands of a session. `keep`: keeps the batch on the device; returns whether it did. */
export function save(state: SessionState, keep?: KeepBatch): Promise<void> {
  return state.traced(keep ? "queueChanges" : "saveChanges", () => saveBatches(state, keep));
}

async function saveBatches(state: SessionState, keep?: KeepBatch): Promise<void> {
  const { tracker, sent } = state;
  await begin(state);
  // Loaded now: between the plan and the texts nothing may change.
  const isInexact = tracker.marks.hasInexact && !state.conventions.allowInexactNumbers;
  const rare = isInexact ? await later("session") : undefined;
  const deleted = new Set<number>();
  const before = (commands: readonly ICommandData[]) => {
    for (const command of commands) command.onBeforeSaveChanges?.(state.session);
  };
  toBeDeleted(state, deleted);
  before(state.deferred);
  const count = state.deferred.length;
  const slots = explained(state, () => changed(state));
  // Deletions and deferred commands of `beforeStore` listeners.
  toBeDeleted(state, deleted);
  before(state.deferred.slice(count));
  if (!keep) state.store.offline?.renewVectors(state);
  // Read once: getters and `toJSON` of the app may change it while the texts are made.
  const { cluster } = state;
  const plan = planned(state, slots, deleted);
  if (plan.length + state.pending.length === 0) {
    for (const slot of deleted) tracker.drop(slot);
    return;
  }
  const commands: SentCommands = {};
  let taken: Partial<TakenResults> = {};
  let isPartlySaved = false;
  try {
    check(state);
    rare?.refuseInexact(state, slots);
    tracker.snapshots.compact();
    const items = write(state, plan, commands, cluster);
    state.work?.sized(items.length);
    if (await keep?.(plan)) sent.accept();
    else taken = await send(state, items, cluster);
    applied(state);
  } catch (error) {
    isPartlySaved = (await failed(state, error as SaveError, { slots, deleted, commands })) === NEXT_PLAN;
  } finally {
    state.end();
  }
  // The rest is planned again.
  if (isPartlySaved) return saveBatches(state);
  const { results = [], made, error, text } = taken;
  // Results that are not valid JSON are not applied to entities.
  const patched = error ? [] : results.slice(results.length - (commands.all as ICommandData[]).length);
  finish(state, slots, deleted, commands, made, patched, text);
  if (error) throw error;
}

/** Sends the batch that was written. */
async function send(state: SessionState, items: number[], cluster: boolean): Promise<TakenResults> {
  const { sent } = state;
  const saved = await state.store.offline?.beforeSave(sent.body());
  await state.runtime.assertReachable?.(state);
  const isPlain =
    !cluster &&
    Object.keys(state.saveOptions).length === 0 &&
    state.underWay.every(({ type }) => type === "DELETE");
  const bits = mode(state);
  const read = ({ text }: { text: string }) => {
    const results = takeOver(state, items, text);
    saved?.(text);
    return results;
  };
  if (isPlain)
    return state.run(
      state.enter((core) => core.save("", sent.body(), 0, bits)),
      read,
    );
  // Loaded before anything is sent: the part also reads the response to patches, and could not be loaded then if the page is offline.
  return (await later("session")).sendSpecial(state, cluster, bits, read);
}

/** The commands about documents of the session, as bits; the core decides. */
function planned(state: SessionState, slots: number[], deleted: Set<number>): Uint32Array {
  const { tracker } = state;
  const documents: number[] = [];
  tracker.report([...deleted], COMMAND_DELETE, documents);
  tracker.report(slots, COMMAND_PUT, documents);
  if (state.concurrency === "WritesAndReads") {
    const written = new Set(slots);
    const read = [...tracker.slots()].filter(
      (slot) => !written.has(slot) && !deleted.has(slot) && !tracker.isNew(slot),
    );
    tracker.report(read, COMMAND_CHECK, documents);
  }
  const plan: Uint32Array = state.enter((core) => core.plan(mode(state), new Uint32Array(documents)));
  if (plan.length === 1 && ((plan[0] as number) & 3) === COMMAND_NO_ID)
    fail(
      "InvalidOperation",
      "a document cannot be deleted: the outcome of its save is unknown, so its id is unknown; look for it, then evict the entity",
    );
  return plan;
}

/** How the session saves, and with which other commands, as bits; see `src/session/plan.rs`. */
function mode({ optimistic, cluster, pending }: SessionState): number {
  const isOnce = pending.some(({ type }) => type !== "DELETE");
  const isGuarded = pending.some(({ changeVector }) => changeVector != null);
  return (
    (optimistic || cluster ? MODE_STRICT : 0) |
    (pending.length > 0 ? MODE_DEFERRED : 0) |
    (isOnce ? MODE_ONCE : 0) |
    (isGuarded ? MODE_GUARDED : 0)
  );
}

/**
 * Makes the text of a batch, and sets in `commands` which other commands it contains. Returns the slot of each command, in
 * request order; -1 for commands about documents that the session does not track.
 */
function write(state: SessionState, plan: Uint32Array, commands: SentCommands, cluster: boolean): number[] {
  const { tracker, sent } = state;
  const items: number[] = [];
  const add = (command: object, slot: number) => {
    items.push(slot);
    const text = JSON.stringify(command);
    if (text === undefined) fail("InvalidArgument", "a deferred command has nothing to send");
    sent.add(text);
  };
  const ofKind = (kind: number) => plan.filter((bits) => (bits & 3) === kind);
  for (const bits of ofKind(COMMAND_DELETE))
    add({ Type: "DELETE", Id: tracker.idAt(bits >>> 8), ChangeVector: tracker.versions.expected(bits) }, -1);
  const convert = converter(state);
  const puts = ofKind(COMMAND_PUT);
  for (let at = 0; at < puts.length; ) {
    const { room } = sent;
    explained(state, () => sent.put(puts.subarray(at, at + room), convert));
    at += room;
  }
  // One by one: `push(...slots)` fails with more than about 100,000 arguments.
  for (let at = 0; at < puts.length; at++) items.push((puts[at] as number) >>> 8);
  assertThere(state, items);
  // Before patches: RavenDB would mistake their changes for those of another client.
  const read = Array.from(ofKind(COMMAND_CHECK), (bits) => [
    tracker.idAt(bits >>> 8),
    tracker.versions.expected(bits),
  ]);
  if (read.length > 0) add({ Type: "BatchTrackChanges", TrackedEntities: Object.fromEntries(read) }, -1);
  const all = state.begin();
  const list = state.deferred;
  Object.assign(commands, { all, list, count: list.length });
  for (const command of all)
    add(
      command.serialize(state.conventions as DocumentConventions),
      command.type === "PUT" && command.id ? tracker.slot(command.id) : -1,
    );
  sent.finish(cluster);
  return items;
}

/** Slots to be sent, after listeners have run; includes documents that listeners have changed and stored. */
function changed(state: SessionState): number[] {
  const announced = new Set<number>();
  const converted = new Set<number>();
  for (let round = 0; round < ROUNDS; round++) {
    // Before changes are looked for, because changes by these listeners are saved, also in documents that the app has not changed.
    announceConversion(state, () => state.tracker.shown, converted);
    const slots = toBeSent(state);
    // Before listeners run: if the save is refused, listeners have not changed entities.
    assertApart(state, slots);
    if (!state.hasListener("beforeStore")) return slots;
    const isComplete = state.whileListening(() => {
      if (announceNew(state, "beforeStore", slots, announced)) return false;
      // Again for all documents that are sent: `beforeStore` listeners may have changed them.
      announceConversion(state, () => slots, new Set());
      return true;
    });
    if (isComplete) return slots;
  }
  fail("InvalidOperation", "beforeStore listeners store without end");
}

/** Announces the conversion of entities to documents, except for those that were `announced` before. */
function announceConversion(state: SessionState, slots: () => number[], announced: Set<number>): void {
  const name = "beforeConversionToDocument";
  if (!state.hasListener(name)) return;
  for (const slot of slots()) {
    const entity = state.tracker.at(slot);
    if (announced.has(slot) || entity === undefined) continue;
    announced.add(slot);
    state.emit(name, { session: state.session, id: state.tracker.idAt(slot) ?? null, entity });
  }
}

function toBeSent({ tracker, conventions, session }: SessionState): number[] {
  const ignores = conventions.shouldIgnoreEntityChanges;
  const all = changedSlots(tracker);
  return ignores ? all.filter((slot) => !ignores(session, tracker.at(slot), tracker.idAt(slot))) : all;
}

/** Adds the slots that are to be deleted to `deleted`, and announces them. */
function toBeDeleted(state: SessionState, deleted: Set<number>): void {
  const { tracker } = state;
  const slots = tracker.marks.deleted.filter((slot) => tracker.at(slot) !== undefined);
  assertApart(state, slots);
  announceNew(state, "beforeDelete", slots, deleted);
}

/** Announces the slots that are not in `announced`, and adds them; returns whether there were any. */
function announceNew(
  state: SessionState,
  name: "beforeStore" | "beforeDelete",
  slots: number[],
  announced: Set<number>,
): boolean {
  const fresh = slots.filter((slot) => !announced.has(slot));
  const isStore = name === "beforeStore";
  announce(state, name, fresh, isStore ? StoreEvent : undefined);
  if (isStore && state.hasListener(name)) assertThere(state, fresh);
  for (const slot of fresh) announced.add(slot);
  return fresh.length > 0;
}

/** Called after code of the app has run, which may have evicted documents of the save. */
function assertThere({ tracker }: SessionState, slots: number[]): void {
  for (let at = 0; at < slots.length; at++) {
    const slot = slots[at] as number;
    if (slot < 0 || tracker.at(slot) !== undefined) continue;
    fail("InvalidArgument", "an entity was evicted while it was saved");
  }
}

/** Lets listeners replace the documents that entities become; `undefined` without listeners. */
function converter(state: SessionState): ((slot: number, document: object) => Entity) | undefined {
  const { tracker } = state;
  if (!state.hasListener("afterConversionToDocument")) return;
  return (slot, document) => {
    const entity = tracker.at(slot);
    const id = tracker.idAt(slot) ?? null;
    const made: { value: object } = { value: JSON.parse(JSON.stringify(document)) };
    state.emit("afterConversionToDocument", { session: state.session, id, entity, document: made });
    if (!isObject(made.value) || Array.isArray(made.value))
      fail("InvalidArgument", "an entity is not an object in JSON; a listener has replaced it by a value");
    return made.value;
  };
}
