// What became of a save that has failed. The core decides (`src/session`); this file reports to it, reads documents back, and compares them.

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
  SAVE_SEEN,
  SAVE_UNREAD,
  SAVE_WAITED,
} from "../../gen/protocol.js";
import { RavenEdgeError } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import type { ServerDocument } from "../documents/entity-types.js";
import { idOf as nameOf } from "../documents/snapshots/snapshot-values.js";
import type { SentDocument } from "../documents/unit-of-work.js";
import { loadPart } from "../runtime/load-part.js";
import type { SessionState } from "../session/session-state.js";
import type { Batch } from "./batch.js";
import type { ICommandData } from "./batch-commands.js";
import { says } from "./sent-documents.js";
import { finish } from "./settle.js";

/** An error of a save, which gets the outcome of the save. */
export type SaveError = { -readonly [Name in keyof RavenEdgeError]: RavenEdgeError[Name] };

/** Documents that were read back, by slot. */
export type FoundDocuments = ReadonlyMap<number, ServerDocument>;

/** The documents that were read back and the text of the response; no text if nothing was to be read. */
type ReadDocuments = [found: FoundDocuments, text?: string];

/** A command whose class says what its loss means. */
export interface SentCommand extends ICommandData {
  /** Whether carrying it out twice does no harm. */
  readonly isRepeatable?: boolean;
  /** Whether it is carried out if the new document that it is about is written with it. */
  readonly isPart?: boolean;
  /** What the app does before it saves again, if that would carry the command out twice, or cannot. */
  readonly advice?: string | undefined;
  /** The outcome of its save is unknown. */
  onOutcomeUnknown?(state: SessionState): void;
}

/** Whether a command must not be carried out twice. */
export const isOnce = ({ type, isRepeatable }: SentCommand): boolean => type !== "DELETE" && !isRepeatable;

/**
 * The decision of the core: what to do next, whether to keep the sent documents, the version of the batch, then pairs of a saved slot
 * and the version of the batch that saved it.
 */
type Decision = [next: number, keep: number, version: number, ...pairs: number[]];

/** By the numbers of `session::Advice`. */
const ADVICE = [
  "saving again is safe",
  "before you save again, call refresh() for each document that is checked by a change vector",
  "before you save again, look for the changes: patches would run twice, and documents whose ids the server makes would be stored twice",
];

const CHECK_FIRST = 2;

/** Before a batch is planned: looks for documents with an unknown outcome. */
export async function lookFor(state: SessionState): Promise<void> {
  const next: number = state.enter((core) => core.begin(state.unitOfWork.takeForgotten()));
  if (next !== NEXT_READ) return;
  const [found] = await documents(state, readable(state)).catch((error: SaveError) => {
    const advice = report(state, SAVE_UNREAD).next;
    throw unknown(error, advice);
  });
  const { saved } = report(state, SAVE_SEEN, undefined, found);
  if (saved.length > 0) finish(state, saved);
}

/**
 * Finds out what an error means. Resolves with nothing if the batch was saved nevertheless, with `NEXT_PLAN` if the rest must be planned
 * again; throws the error for the app. `otherwise`: what an error means that the core did not make.
 */
export async function failed(
  state: SessionState,
  batch: Batch,
  error: SaveError,
  otherwise: number,
): Promise<typeof NEXT_PLAN | undefined> {
  const { unitOfWork } = state;
  state.hasFailed = true;
  const event: number = (error instanceof RavenEdgeError && error.failure) || otherwise;
  let { next } = report(state, event, batch, undefined, error);
  let saved: number[] = [];
  if (next === NEXT_READ) {
    const others = event === SAVE_WAITED ? batch.commands.map(({ id }) => unitOfWork.slot(id ?? "")) : [];
    const wanted = event === SAVE_WAITED ? [...batch.slots, ...others] : [];
    const read = await documents(state, [...readable(state, batch), ...wanted], batch).catch(() => undefined);
    ({ next, saved } = report(state, read ? SAVE_SEEN : SAVE_UNREAD, batch, read?.[0]));
    if (next === NEXT_SAVED) (await loadPart("session")).saved(state, batch, others, read ?? [new Map()]);
  }
  if (next === NEXT_DONE) return;
  if (next >= NEXT_UNKNOWN || error.sharded)
    for (const command of batch.commands) (command as SentCommand).onOutcomeUnknown?.(state);
  if (saved.length > 0) finish(state, saved);
  if (next === NEXT_PLAN) return NEXT_PLAN;
  if (next >= NEXT_UNKNOWN) throw unknown(error, next, batch);
  if (next === NEXT_SAVED) error.outcome = "saved";
  if (next === NEXT_NOT_SAVED && error.unsent) error.outcome = "not saved";
  if (next === NEXT_CONFLICT_UNKNOWN) error.outcome = "unknown";
  throw error;
}

/**
 * Reports an event to the core, accepts the documents that it names as saved, and keeps sent documents that may be compared later.
 * `found`: documents that were read back; `refused`: the error.
 */
export function report(
  state: SessionState,
  event: number,
  batch?: Batch,
  found: FoundDocuments = new Map(),
  refused?: SaveError,
): { next: number; saved: number[] } {
  const { unitOfWork } = state;
  const seen = event === SAVE_SEEN ? compared(state, found, batch) : [];
  const slot = refused?.id ? unitOfWork.slot(refused.id) : -1;
  const sharded = !!refused?.sharded;
  const [next, keep, version, ...pairs]: Decision = state.enter((core) =>
    core.on(unitOfWork.takeForgotten(), event, slot < 0 ? undefined : slot, sharded, Uint32Array.from(seen)),
  );
  if (batch) batch.version = version;
  const saved = pairs.filter((_, at) => at % 2 === 0);
  const current = batch?.documents.pick(saved);
  saved.forEach((each, at) => {
    // The app has evicted it meanwhile.
    if (unitOfWork.at(each) === undefined) return;
    const sent = unitOfWork.sentOf(each)?.get(pairs[2 * at + 1] as number) ?? current?.get(each);
    unitOfWork.savedAsFound(each, sent as SentDocument, found.get(each)?.["@metadata"]);
  });
  if (keep)
    for (const [each, picked] of batch?.documents.pick(readable(state, batch)) ?? [])
      if (unitOfWork.at(each) !== undefined) unitOfWork.savedPerhaps(each, version, picked);
  return { next, saved };
}

/** Pairs of a slot and a finding: `FINDING_VERSION` plus the version of the batch if the document equals the sent one. */
function compared(state: SessionState, found: FoundDocuments, batch: Batch | undefined): number[] {
  const slots = readable(state, batch);
  const current = batch?.documents.pick(slots);
  return slots.flatMap((slot) => {
    const document = found.get(slot);
    if (!document) return [slot, FINDING_ABSENT];
    let finding: number = FINDING_OTHER;
    // In the order of versions: if several are equal, the newest counts.
    for (const [version, picked] of state.unitOfWork.sentOf(slot) ?? [])
      if (says(picked, document)) finding = FINDING_VERSION + version;
    if (batch && says(current?.get(slot), document)) finding = FINDING_VERSION + batch.version;
    return [slot, finding];
  });
}

/** What to do before saving again, for what the batch contained. */
function adviceFor(next: number, batch: Batch | undefined): string {
  const all = ADVICE[next - NEXT_UNKNOWN] as string;
  if (!batch || next < NEXT_UNKNOWN + CHECK_FIRST) return all;
  const commands: readonly SentCommand[] = batch.commands;
  const own = new Set(commands.map(({ advice }) => advice).filter((advice) => advice !== undefined));
  const hasMore =
    commands.some((each) => !each.advice && isOnce(each)) || batch.slots.some((slot) => !batch.idOf(slot));
  return own.size === 0 ? all : [...own, ...(hasMore ? [all] : [])].join("; ");
}

function unknown(cause: SaveError, next: number, batch?: Batch): SaveError {
  const { request, status } = cause;
  const message = `the response to a save was lost (${cause.message}): its outcome is unknown; advanced.refresh() shows the documents that are stored; ${adviceFor(next, batch)}`;
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
function idOf({ unitOfWork }: SessionState, slot: number, batch: Batch | undefined): string | undefined {
  return unitOfWork.isNamed(slot) ? unitOfWork.idAt(slot) : batch?.idOf(slot);
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
