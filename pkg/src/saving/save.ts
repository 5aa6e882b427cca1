// Sends the changes of a session, all or nothing.

import { NEXT_PLAN, SAVE_LOST, SAVE_UNSENT } from "../../gen/protocol.js";
import { fail } from "../common/error.js";
import { explained } from "../documents/unserializable.js";
import { loadPart } from "../runtime/load-part.js";
import { isRecorded, replay } from "../runtime/stand-in.js";
import type { SessionState } from "../session/session-state.js";
import { assertApart, assertThere, Batch } from "./batch.js";
import type { ICommandData } from "./batch-commands.js";
import { failed, lookFor, type SaveError } from "./fail.js";
import { announce, type TakenResults } from "./settle.js";

/** Maximum rounds of `beforeStore`: listeners may store further documents, which are announced in the next round. */
const ROUNDS = 64;

/** Keeps the batch of a session on the device; resolves with `false` if it has to be sent instead. */
export type KeepBatch = (batch: Batch) => Promise<boolean>;

/** Saves the changes and deferred commands of a session. `keep`: keeps the batch on the device; returns whether it did. */
export function save(state: SessionState, keep?: KeepBatch): Promise<void> {
  return state.traced(keep ? "queueChanges" : "saveChanges", () => saveBatches(state, keep));
}

async function saveBatches(state: SessionState, keep?: KeepBatch): Promise<void> {
  const { unitOfWork } = state;
  const hasRecorded = () => unitOfWork.deferred.some(isRecorded);
  await lookFor(state);
  while (hasRecorded()) await replay(state);
  // Loaded now: between the plan and the texts nothing may change.
  const isInexact = unitOfWork.hasInexact && !state.conventions.allowInexactNumbers;
  const isConverted = state.hasListener("afterConversionToDocument");
  const rare = isInexact || isConverted ? await loadPart("session") : undefined;
  const deleted = new Set<number>();
  const before = (commands: readonly ICommandData[]) => {
    for (const command of commands) command.onBeforeSaveChanges?.(state.session);
  };
  toBeDeleted(state, deleted);
  before(unitOfWork.deferred);
  const count = unitOfWork.deferred.length;
  const announced = new Set<number>();
  const converted = new Set<number>();
  const find = () => explained(unitOfWork, () => changed(state, announced, converted));
  let slots = find();
  // Listeners have called methods of a part that is not loaded: what these defer belongs to this save.
  while (hasRecorded()) {
    await replay(state);
    slots = find();
  }
  // Deletions and deferred commands of `beforeStore` listeners.
  toBeDeleted(state, deleted);
  before(unitOfWork.deferred.slice(count));
  if (!keep) state.store.offline?.renewVectors(state);
  const batch = new Batch(state, slots, deleted, isConverted ? rare?.converted : undefined);
  let taken: Partial<TakenResults> | undefined;
  state.batch = batch;
  try {
    if (!batch.seal(isInexact ? rare?.refuseInexact : undefined)) {
      for (const slot of deleted) unitOfWork.dropped(slot);
      return;
    }
    taken = await carryOut(state, batch, keep);
  } finally {
    state.batch = undefined;
    batch.documents.end();
  }
  // The rest is planned again.
  if (!taken) return saveBatches(state);
  batch.finish(taken);
  if (taken.error) throw taken.error;
}

/** Sends a batch, or keeps it on the device, and finds out what became of it; `undefined`: the rest must be planned again. */
async function carryOut(
  state: SessionState,
  batch: Batch,
  keep: KeepBatch | undefined,
): Promise<Partial<TakenResults> | undefined> {
  const { store, runtime, work } = state;
  let event: typeof SAVE_UNSENT | typeof SAVE_LOST = SAVE_UNSENT;
  try {
    work?.sized(batch.written.length);
    if (await keep?.(batch)) return batch.settle();
    const saved = await store.offline?.beforeSave(batch.body);
    await runtime.assertReachable?.(state);
    const text = await batch.send();
    // The server has responded: an error from here on does not mean that nothing was sent.
    event = SAVE_LOST;
    const taken = batch.settle(text);
    saved?.(text);
    return taken;
  } catch (error) {
    return (await failed(state, batch, error as SaveError, event)) === NEXT_PLAN ? undefined : {};
  }
}

/**
 * Slots to be sent, after listeners have run; includes documents that listeners have changed and stored. `announced`, `converted`: those
 * that listeners of `beforeStore` and of conversions know.
 */
function changed(state: SessionState, announced: Set<number>, converted: Set<number>): number[] {
  for (let round = 0; round < ROUNDS; round++) {
    // Before changes are looked for, because changes by these listeners are saved, also in documents that the app has not changed.
    announceConversion(state, () => state.unitOfWork.shown, converted);
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
    const entity = state.unitOfWork.at(slot);
    if (announced.has(slot) || entity === undefined) continue;
    announced.add(slot);
    state.emit(name, { session: state.session, id: state.unitOfWork.idAt(slot) ?? null, entity });
  }
}

function toBeSent({ unitOfWork, conventions, session }: SessionState): number[] {
  const ignores = conventions.shouldIgnoreEntityChanges;
  const all = unitOfWork.changed();
  return ignores ? all.filter((slot) => !ignores(session, unitOfWork.at(slot), unitOfWork.idAt(slot))) : all;
}

/** Adds the slots that are to be deleted to `deleted`, and announces them. */
function toBeDeleted(state: SessionState, deleted: Set<number>): void {
  const { unitOfWork } = state;
  const slots = unitOfWork.toBeDeleted;
  // Any command: without the document, RavenDB could not carry out one about its attachments or counters.
  assertApart(state, slots, /./);
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
  announce(state, name, fresh);
  if (name === "beforeStore" && state.hasListener(name)) assertThere(state, fresh);
  for (const slot of fresh) announced.add(slot);
  return fresh.length > 0;
}
