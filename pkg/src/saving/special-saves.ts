// Saves that wait, are transactions of the cluster, have commands other than deletions, or numbers that JavaScript cannot hold: what they
// send, and how their results are applied. Loaded for the first of them, before anything is sent.

import { isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { timeSpan } from "../common/time.js";
import type { Entity, IMetadataDictionary, ServerDocument } from "../documents/entity-types.js";
import { same } from "../documents/snapshots/equal-values.js";
import { put } from "../documents/snapshots/put-member.js";
import { idOf } from "../documents/snapshots/snapshot-values.js";
import { revise } from "../loading/rare-loads.js";
import { loadedPart, loadPart } from "../runtime/load-part.js";
import type { SaveOptions } from "../session/session-options.js";
import type { SessionState } from "../session/session-state.js";
import type { DocumentConventions } from "../store/conventions.js";
import { inexact } from "../wire/inexact-numbers.js";
import { randomId } from "../wire/random-id.js";
import type { Batch } from "./batch.js";
import { type ICommandData, WRITING } from "./batch-commands.js";
import type { FoundDocuments } from "./fail.js";
import { says } from "./sent-documents.js";
import { type CommandResult, resultsIn } from "./settle.js";

/** RavenDB would remove attachments, counters and time series from documents that a cluster-wide transaction writes. */
function assertBare(batch: Batch): void {
  for (const [at, slot] of batch.slots.entries())
    if (/Has(Att|Cou|Tim)/.test(batch.flags[at] as string))
      fail(
        "Unsupported",
        `${batch.idOf(slot)} has attachments, counters or time series: change it without "ClusterWide"`,
      );
}

/** Resolves with the text of the response. */
export async function sendSpecial(state: SessionState, batch: Batch): Promise<string> {
  const { cluster, commands, options } = batch;
  // RavenDB would ignore the command silently.
  const only = !cluster && commands.find(({ type }) => /^CompareExchange/.test(type));
  if (only) fail("InvalidOperation", `${only.type} needs transactionMode: "ClusterWide"`);
  if (cluster) assertBare(batch);
  const waits = waitsOf(options, state.conventions);
  // The longest time that the server may wait after it has saved, in milliseconds.
  const longest = (waits.replication?.timeout ?? 0) + (waits.indexes?.timeout ?? 0);
  const unguarded = "disableAtomicDocumentWritesInClusterWideTransaction";
  const isUnguarded = state.options[unguarded] ?? state.conventions[unguarded];
  const send = (body: unknown = batch.body) =>
    state.run(
      state.enter((core) => core.save(query(waits, cluster, isUnguarded), body, longest)),
      ({ text }) => text,
    );
  return commands.every(({ type }) => WRITING.test(type))
    ? send()
    : (await loadPart("capabilities")).sendBatch(state, batch, send);
}

/** What a save waits for, with all defaults. npm `ravendb` treats `null` as absent. */
export function waitsOf({ replication, indexes }: Readonly<SaveOptions>, conventions: DocumentConventions) {
  return {
    replication: replication && {
      timeout: replication.timeout ?? conventions.waitForReplicationAfterSaveChangesTimeout,
      throwOnTimeout: replication.throwOnTimeout ?? true,
      replicas: replication.majority ? "majority" : (replication.replicas ?? 1),
    },
    indexes: indexes && {
      timeout: indexes.timeout ?? conventions.waitForIndexesAfterSaveChangesTimeout,
      throwOnTimeout: indexes.throwOnTimeout ?? true,
      names: indexes.indexes ?? [],
    },
  };
}

type Waits = ReturnType<typeof waitsOf>;

/** `cluster`: the save is a transaction of the whole cluster; `isUnguarded`: the option about atomic guards. */
export function query(
  { replication, indexes }: Waits,
  cluster: boolean,
  isUnguarded: boolean | undefined,
): string {
  const parameters = new URLSearchParams();
  if (replication) {
    parameters.set("waitForReplicasTimeout", timeSpan(replication.timeout));
    parameters.set("throwOnTimeoutInWaitForReplicas", `${replication.throwOnTimeout}`);
    parameters.set("numberOfReplicasToWaitFor", `${replication.replicas}`);
  }
  if (indexes) {
    parameters.set("waitForIndexesTimeout", timeSpan(indexes.timeout));
    parameters.set("waitForIndexThrow", `${indexes.throwOnTimeout}`);
    for (const name of indexes.names) parameters.append("waitForSpecificIndex", name);
  }
  // One id for each logical call: if a proxy repeats the request, the cluster applies it once.
  if (cluster) parameters.set("raft-request-id", randomId());
  if (cluster && isUnguarded != null) parameters.set("disableAtomicDocumentWrites", `${isUnguarded}`);
  // RavenDB does not decode the colons of a time.
  const text = String(parameters).replaceAll("%3A", ":");
  return text && `?${text}`;
}

/** `results`: of `commands`; `text`: the whole response. Returns the slots of the documents that were written. */
export function followAll(
  state: SessionState,
  commands: readonly ICommandData[],
  results: CommandResult[],
  text: string,
): number[] {
  const { unitOfWork } = state;
  const written: number[] = [];
  const patch = patched(state, text);
  const parts = commands.map(({ type }) => loadedPart("capabilities")?.loadedCapability(type));
  commands.forEach((command, at) => {
    parts[at]?.applyResult?.(state, Object(results[at]) as CommandResult, command);
  });
  for (const [at, result] of results.map<CommandResult>(Object).entries()) {
    if (parts[at]) continue;
    const { Type, PatchStatus, Id, "@id": id = PatchStatus && Id, ModifiedDocument } = result;
    // A deferred command may have created a document that did not exist.
    if (id) unitOfWork.savedThere(id);
    const slot = unitOfWork.slot(Id ?? id ?? "");
    if (slot < 0) continue;
    if (Type === "DELETE") {
      unitOfWork.dropped(slot);
      continue;
    }
    if (Type === "PUT") written.push(slot);
    if (!ModifiedDocument || PatchStatus === "NotModified") continue;
    patch(slot, result);
    written.push(slot);
  }
  return written;
}

/**
 * The server has saved, but its response has no results: `found` was read afterwards, from a response of this `text`. `others`: slots
 * of the documents of the deferred commands.
 */
export function saved(
  state: SessionState,
  batch: Batch,
  others: number[],
  [found, text]: readonly [found: FoundDocuments, text?: string],
): void {
  const { unitOfWork } = state;
  const { slots, commands, documents } = batch;
  const picked = documents.pick(slots);
  for (const [slot, document] of found) {
    // If another client has written the document meanwhile, its change vector does not belong to what the session knows.
    if (unitOfWork.at(slot) !== undefined && says(picked.get(slot), document))
      unitOfWork.saved(slot, document["@metadata"]);
  }
  documents.accept();
  const results = commands.map(({ type, id }, at) => {
    const document = found.get(others[at] as number);
    const {
      "@id": Id = id,
      "@change-vector": ChangeVector,
      "@last-modified": LastModified,
    } = document?.["@metadata"] ?? {};
    return { Type: type, PatchStatus: type, Id, ModifiedDocument: document, ChangeVector, LastModified };
  });
  batch.finish({ results, text: text ?? "" });
  // The ids that the server has made are not known: these entities are saved, and leave the session.
  for (const slot of slots) if (!unitOfWork.isNamed(slot)) unitOfWork.dropped(slot);
}

/** Refuses to save these slots if a number would lose digits. */
export function refuseInexact({ unitOfWork }: SessionState, slots: readonly number[]): void {
  for (const slot of slots) {
    const literals = unitOfWork.inexact(slot) ?? [];
    const rounded = new Map<unknown, string>(literals.map((literal) => [Number(literal), literal]));
    const metadata = unitOfWork.snapshots.metadata(unitOfWork.at(slot)["@metadata"]);
    const [found] = numbers({ ...unitOfWork.now(slot), "@metadata": metadata }, rounded);
    if (!found) continue;
    const [path, value] = found;
    fail(
      "InexactNumber",
      `${unitOfWork.idAt(slot)} has the number ${rounded.get(value)}, which JavaScript holds as ${value} (at ${path.join(".")}): saving would change it; replace it, or see conventions.allowInexactNumbers`,
    );
  }
}

/** Path and value of each number inside a value that has lost digits. */
function* numbers(
  value: unknown,
  rounded: Map<unknown, string>,
  path: string[] = [],
): Generator<[path: string[], value: unknown]> {
  if (isObject(value))
    for (const [key, item] of Object.entries(value)) yield* numbers(item, rounded, [...path, key]);
  else if (rounded.has(value)) yield [path, value];
}

/**
 * The results of a response, after repair; none if it cannot be repaired. RavenDB may store invalid JSON (`1.`, a control
 * character), and sends it back in the document that a patch has changed.
 */
export function repairedResults(text: string): CommandResult[] {
  const plain = (all: string, number: string | undefined) => number ?? all.replace(/\p{Cc}/gu, " ");
  try {
    return resultsIn(text.replace(/"(?:[^"\\]|\\.)*"|(-?\d+)\.(?!\d)/gs, plain));
  } catch {
    return [];
  }
}

/** How many objects and arrays are open inside of a result. */
const DEPTH = 3;

/** Returns a function that applies the results of a response one by one; `text`: the whole response. */
export function patched(state: SessionState, text: string): (slot: number, result: CommandResult) => void {
  const { unitOfWork } = state;
  let numbers: ReturnType<typeof inexact> | undefined;
  return (slot, result) => {
    const { Id } = result;
    const document = result.ModifiedDocument as ServerDocument;
    const metadata = {
      ...document["@metadata"],
      "@id": unitOfWork.idAt(slot),
      "@change-vector": result.ChangeVector,
      "@last-modified": result.LastModified,
    };
    const { snapshots } = unitOfWork;
    const entity: Entity = unitOfWork.at(slot);
    // What the app has changed while the request was under way stays a change.
    const mine = changes(snapshots.before(slot), shown(() => unitOfWork.now(slot)) ?? entity, entity);
    const meta = entity["@metadata"];
    const own = changes(snapshots.own(slot), shown(() => snapshots.metadata(meta)) ?? meta, meta);
    numbers ??= inexact(text, DEPTH, (each) => idOf(each) ?? ((each as CommandResult).Id as string));
    revise(state, slot, { ...document, "@metadata": metadata } as ServerDocument, numbers.get(Id as string));
    for (const change of mine) put(entity, ...change);
    for (const change of own) put(entity["@metadata"] as IMetadataDictionary, ...change);
  };
}

/** Names and values of the members that differ. */
function changes(was: Entity = {}, now: Entity = {}, values: Entity = {}) {
  const names = Object.keys({ ...was, ...now }).filter((name) => !same(was[name], now[name]));
  return names.map((name) => [name, values[name]] as const);
}

/** `undefined` if it throws: a BigInt, which has no text in JSON, must not make a save fail that has succeeded. */
function shown<Value>(text: () => Value): Value | undefined {
  try {
    return text();
  } catch {
    return undefined;
  }
}
