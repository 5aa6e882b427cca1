// Sends the changes of a session, all or nothing.

import { NEXT_PLAN, SAVE_LOST, SAVE_UNSENT } from "../../gen/protocol.js";
import { fail } from "../common/error.js";
import { changedSlots } from "../documents/changed-documents.js";
import { explained } from "../documents/unserializable.js";
import { later } from "../runtime/load-part.js";
import {
  SessionBeforeDeleteEventArgs,
  SessionBeforeStoreEventArgs,
} from "../session/document-event-arguments.js";
import type { SessionState } from "../session/session-state.js";
import type { Convert } from "../wire/outgoing-batch.js";
import type { ICommandData } from "./batch-commands.js";
import { type TakenResults, takeOver } from "./batch-response.js";
import { applied, begin, failed, type SaveError } from "./find-outcome.js";
import { announce, finish } from "./finish-save.js";
import { assertApart, assertThere } from "./save-checks.js";
import { type Batch, seal } from "./seal-batch.js";

/** Maximum rounds of `beforeStore`: listeners may store further documents, which are announced in the next round. */
const ROUNDS = 64;

/** Keeps the batch of a session on the device; resolves with `false` if it has to be sent instead. */
export type KeepBatch = (batch: Batch) => Promise<boolean>;

/** Saves the changes and deferred commands of a session. `keep`: keeps the batch on the device; returns whether it did. */
export function save(state: SessionState, keep?: KeepBatch): Promise<void> {
  return state.traced(keep ? "queueChanges" : "saveChanges", () => saveBatches(state, keep));
}

async function saveBatches(state: SessionState, keep?: KeepBatch): Promise<void> {
  const { tracker } = state;
  await begin(state);
  // Loaded now: between the plan and the texts nothing may change.
  const isInexact = tracker.marks.hasInexact && !state.conventions.allowInexactNumbers;
  const isConverted = state.hasListener("afterConversionToDocument");
  const rare = isInexact || isConverted ? await later("session") : undefined;
  const refuse = isInexact ? rare?.refuseInexact : undefined;
  const convert: Convert | undefined = isConverted ? rare?.converted.bind(undefined, state) : undefined;
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
  let batch: Batch | undefined;
  let taken: Partial<TakenResults> | undefined;
  try {
    batch = seal(state, slots, deleted, { refuse, convert });
    taken = batch && (await settle(state, batch, keep));
  } finally {
    state.end();
  }
  if (!batch) {
    for (const slot of deleted) tracker.drop(slot);
    return;
  }
  // The rest is planned again.
  if (!taken) return saveBatches(state);
  finish(state, batch.slots, deleted, batch, taken);
  if (taken.error) throw taken.error;
}

/** Sends a batch, or keeps it on the device, and finds out what became of it; `undefined`: the rest must be planned again. */
async function settle(
  state: SessionState,
  batch: Batch,
  keep: KeepBatch | undefined,
): Promise<Partial<TakenResults> | undefined> {
  const { sent, work, store, runtime } = state;
  let taken: Partial<TakenResults> = {};
  let event: typeof SAVE_UNSENT | typeof SAVE_LOST = SAVE_UNSENT;
  try {
    work?.sized(batch.items.length);
    if (await keep?.(batch)) sent.accept();
    else {
      const saved = await store.offline?.beforeSave(sent.body());
      await runtime.assertReachable?.(state);
      const text = await send(state, batch);
      // The server has responded: an error from here on does not mean that nothing was sent.
      event = SAVE_LOST;
      taken = takeOver(state, batch, text);
      saved?.(text);
    }
    applied(state);
    return taken;
  } catch (error) {
    return (await failed(state, error as SaveError, batch, event)) === NEXT_PLAN ? undefined : {};
  }
}

/** Sends the sealed batch; resolves with the text of the response. */
async function send(state: SessionState, batch: Batch): Promise<string> {
  const isPlain =
    !batch.cluster &&
    Object.keys(batch.options).length === 0 &&
    batch.commands.every(({ type }) => type === "DELETE");
  if (isPlain)
    return state.run(
      state.enter((core) => core.save("", state.sent.body(), 0)),
      ({ text }) => text,
    );
  // Loaded before anything is sent: the part also reads the response to patches, and could not be loaded then if the page is offline.
  return (await later("session")).sendSpecial(state, batch);
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
  const isStore = name === "beforeStore";
  announce(state, name, fresh, isStore ? SessionBeforeStoreEventArgs : SessionBeforeDeleteEventArgs);
  if (isStore && state.hasListener(name)) assertThere(state, fresh);
  for (const slot of fresh) announced.add(slot);
  return fresh.length > 0;
}
