// Finds out the outcome of a save. The core decides (`src/session`); this file reports to it, reads documents back, and compares them.

import {
  FINDING_ABSENT,
  FINDING_OTHER,
  FINDING_VERSION,
  NEXT_CONFLICT_UNKNOWN,
  NEXT_DONE,
  NEXT_NOT_SAVED,
  NEXT_PLAN,
  NEXT_READ,
  NEXT_SAVED,
  NEXT_UNKNOWN,
  SAVE_APPLIED,
  SAVE_SEEN,
  SAVE_UNREAD,
  SAVE_WAITED,
} from "../../gen/protocol.js";
import { RavenEdgeError } from "../common/error.js";
import { idKey, isFinal } from "../common/id-key.js";
import type { CoreSession } from "../core/core-session.js";
import type { ServerDocument } from "../documents/entity-types.js";
import { idOf as nameOf } from "../documents/snapshots/snapshot-values.js";
import type { SentDocument } from "../documents/unknown-outcomes.js";
import { later } from "../runtime/load-part.js";
import type { SessionState } from "../session/session-state.js";
import { acceptPicked, says } from "../wire/outgoing-batch.js";
import type { ICommandData } from "./batch-commands.js";
import { finish } from "./finish-save.js";
import type { Batch } from "./seal-batch.js";

/** An error of a save, which gets the outcome of the save. */
export type SaveError = { -readonly [Name in keyof RavenEdgeError]: RavenEdgeError[Name] };

/** Documents that were read back, by slot. */
export type FoundDocuments = ReadonlyMap<number, ServerDocument>;

/** The same with the text of the response; no text if nothing was to be read. */
type ReadDocuments = [found: FoundDocuments, text?: string];

/** A command that must know that the outcome of its save is unknown. */
interface SentCommand extends ICommandData {
  onOutcomeUnknown?(state: SessionState): void;
}

/** Details of a report to the core. */
interface ReportDetails {
  /** The batch that was sent. */
  batch?: Batch;
  /** The slot of the refused document; -1: not known. */
  slot?: number;
  /** Whether the database is sharded. */
  sharded?: boolean | undefined;
  found?: FoundDocuments;
}

/**
 * The decision of the core: what to do next, whether to keep the sent documents, the version of the batch, then pairs of a saved slot
 * and the version of the batch that saved it.
 */
type Decision = [next: number, keep: number, version: number, ...pairs: number[]];

const ADVICE = [
  "saving again is safe",
  "before you save again, call refresh() for each document that is checked by a change vector",
  "before you save again, look for the changes: patches would run twice, and documents whose ids the server makes would be stored twice",
];

/** Looks for documents with an unknown outcome before the next batch is planned. */
export async function begin(state: SessionState): Promise<void> {
  const next: number = state.enter((core) => core.begin(state.tracker.unknown.takeForgotten()));
  if (next !== NEXT_READ) return;
  const [found] = await documents(state, readable(state)).catch((error: SaveError) => {
    const advice = report(state, SAVE_UNREAD).next;
    throw unknown(error, advice);
  });
  const { saved } = report(state, SAVE_SEEN, { found });
  if (saved.length > 0) finish(state, saved);
}

/** Reports that the batch is saved. */
export function applied(state: SessionState): void {
  report(state, SAVE_APPLIED);
}

/**
 * Handles the failure of a save. Resolves with nothing if the batch was saved nevertheless, with `NEXT_PLAN` if the rest must be
 * planned again; throws the error for the app. `otherwise`: what an error means that the core did not make.
 */
export async function failed(
  state: SessionState,
  error: SaveError,
  batch: Batch,
  otherwise: number,
): Promise<typeof NEXT_PLAN | undefined> {
  const { tracker } = state;
  state.hasFailed = true;
  const event: number = (error instanceof RavenEdgeError && error.failure) || otherwise;
  const slot = error.id ? tracker.slot(error.id) : -1;
  let { next } = report(state, event, { batch, slot, sharded: error.sharded });
  let saved: number[] = [];
  if (next === NEXT_READ) {
    const others = event === SAVE_WAITED ? batch.commands.map(({ id }) => tracker.slot(id ?? "")) : [];
    const wanted = event === SAVE_WAITED ? [...batch.slots, ...others] : [];
    const read = await documents(state, [...readable(state, batch), ...wanted], batch).catch(() => undefined);
    ({ next, saved } = read
      ? report(state, SAVE_SEEN, { batch, found: read[0] })
      : report(state, SAVE_UNREAD, { batch }));
    if (next === NEXT_SAVED) (await later("session")).saved(state, batch, others, read ?? [new Map()]);
  }
  if (next === NEXT_DONE) return;
  if (next >= NEXT_UNKNOWN || error.sharded)
    for (const command of batch.commands) (command as SentCommand).onOutcomeUnknown?.(state);
  if (saved.length > 0) finish(state, saved);
  if (next === NEXT_PLAN) return NEXT_PLAN;
  if (next >= NEXT_UNKNOWN) throw unknown(error, next);
  if (next === NEXT_SAVED) error.outcome = "saved";
  if (next === NEXT_NOT_SAVED && error.unsent) error.outcome = "not saved";
  if (next === NEXT_CONFLICT_UNKNOWN) error.outcome = "unknown";
  throw error;
}

/** Reports an event to the core, accepts the documents that it names as saved, and keeps sent documents that may be compared later. */
function report(
  state: SessionState,
  event: number,
  { batch, slot = -1, sharded = false, found = new Map() }: ReportDetails = {},
): { next: number; saved: number[] } {
  const { tracker, sent } = state;
  const seen = event === SAVE_SEEN ? compared(state, found, batch) : [];
  const args: Parameters<CoreSession["on"]> = [
    tracker.unknown.takeForgotten(),
    event,
    slot < 0 ? undefined : slot,
    sharded,
    Uint32Array.from(seen),
  ];
  const [next, keep, version, ...pairs]: Decision = state.enter((core) => core.on(...args));
  sent.numbered(version);
  const saved = pairs.filter((_, at) => at % 2 === 0);
  const current = sent.pick(saved);
  saved.forEach((each, at) => {
    acceptSaved(
      state,
      each,
      (tracker.unknown.of(each)?.get(pairs[2 * at + 1] as number) ?? current.get(each)) as SentDocument,
      found.get(each),
    );
  });
  if (keep) {
    for (const [each, picked] of sent.pick(readable(state, batch)))
      if (tracker.at(each) !== undefined) tracker.unknown.add(each, version, picked);
  }
  return { next, saved };
}

/** Pairs of a slot and a finding: `FINDING_VERSION` plus the version of the batch if the document equals the sent one. */
function compared(state: SessionState, found: FoundDocuments, batch: Batch | undefined): number[] {
  const { tracker, sent } = state;
  const slots = readable(state, batch);
  const current = sent.pick(slots);
  return slots.flatMap((slot) => {
    const document = found.get(slot);
    if (!document) return [slot, FINDING_ABSENT];
    let finding: number = FINDING_OTHER;
    // In the order of versions: if several are equal, the newest counts.
    for (const [version, picked] of tracker.unknown.of(slot) ?? [])
      if (says(picked, document)) finding = FINDING_VERSION + version;
    if (says(current.get(slot), document)) finding = FINDING_VERSION + sent.version;
    return [slot, finding];
  });
}

/** A document is saved: it was sent as `picked`, and read back as `document`. */
function acceptSaved(
  { tracker }: SessionState,
  slot: number,
  picked: SentDocument,
  document: ServerDocument | undefined,
): void {
  // The app has evicted it meanwhile.
  if (tracker.at(slot) === undefined) return;
  if (document) tracker.versions.read(slot, document["@metadata"]);
  acceptPicked(tracker.snapshots, new Map([[slot, picked]]));
  tracker.unknown.remove(slot);
}

function unknown(cause: SaveError, next: number): SaveError {
  const { request, status } = cause;
  const message = `the response to a save was lost (${cause.message}): its outcome is unknown; advanced.refresh() shows what is stored; ${ADVICE[next - NEXT_UNKNOWN]}`;
  const error: SaveError = new RavenEdgeError("OutcomeUnknown", message, { cause, request, status });
  error.outcome = "unknown";
  return error;
}

/** The slots that are to be read back, as far as their ids are known. */
function readable(state: SessionState, batch?: Batch): number[] {
  const slots: Iterable<number> = state.enter((core) => core.readable());
  return [...slots].filter((slot) => idOf(state, slot, batch));
}

/** The id of a document that is tracked, or was when the batch was sealed. */
function idOf({ tracker }: SessionState, slot: number, batch: Batch | undefined): string | undefined {
  if (tracker.isNamed(slot)) return tracker.idAt(slot);
  const id = batch?.ids[batch.items.indexOf(slot)];
  return id && isFinal(id) ? id : undefined;
}

/** Reads documents from the server. */
async function documents(state: SessionState, slots: number[], batch?: Batch): Promise<ReadDocuments> {
  const wanted = new Map<string, number>();
  for (const slot of slots) {
    const id = idOf(state, slot, batch);
    if (id) wanted.set(id, slot);
  }
  const found = new Map<number, ServerDocument>();
  if (wanted.size === 0) return [found];
  const Ids = [...wanted.keys()];
  const { text } = await state.ask({ method: "POST", route: "docs", body: { Ids }, safe: true });
  const byKey = new Map([...wanted].map(([id, slot]) => [idKey(id), slot]));
  const results = text && JSON.parse(text).Results;
  for (const document of Array.isArray(results) ? results : []) {
    const slot = byKey.get(idKey(nameOf(document) ?? ""));
    if (slot !== undefined) found.set(slot, document);
  }
  return [found, text];
}
