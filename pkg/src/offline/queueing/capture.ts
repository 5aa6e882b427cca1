// Takes from a session what `saveChanges` would send, as commands for the device.

import { COMMAND_CHECK } from "../../../gen/protocol.js";
import type { AttachmentData } from "../../attachments/attachment-types.js";
import { fail } from "../../common/error.js";
import { idKey, isFinal } from "../../common/id-key.js";
import type { JsonObject } from "../../common/json.js";
import { isArrayBuffer, isBlob } from "../../common/value-kinds.js";
import { AUTO, DISABLED } from "../../documents/document-versions.js";
import { CLASS, META, NESTED } from "../../documents/snapshots/snapshot-values.js";
import { loadPart } from "../../runtime/load-part.js";
import type { Batch } from "../../saving/batch.js";
import type { SessionState } from "../../session/session-state.js";
import type { CommandTexts, Kind, StoredCommand } from "../device/records.js";
import { isQueuedVector, queuedVector, UNKNOWN_TEXT } from "../device/records.js";

/** What a session would send. */
export interface CapturedBatch {
  commands: StoredCommand[];
  texts: CommandTexts[];
  /** The slots of documents whose change vectors the session must forget once they are queued. */
  slots: number[];
}

/** A command as it would be sent. */
interface SentCommand {
  Type: string;
  Id?: string | null;
  ChangeVector?: string | null;
  Document?: JsonObject;
  Name?: string;
  DestinationId?: string;
}

const isAttachment = (type: string) => /^Attachment(PUT|DELETE|MOVE|COPY)$/.test(type);

/** The kinds of commands by their types, besides those of attachments. */
const KINDS: Record<string, Kind> = { PUT: "PUT", DELETE: "DELETE", PATCH: "PATCH", Counters: "COUNT" };

/** Refuses what a session cannot queue at all, and loads what makes the texts of named patches. */
export async function prepare(state: SessionState): Promise<void> {
  assertPlain(state, state.cluster, state.saveOptions);
  if (state.unitOfWork.deferred.some((command) => "named" in command)) await loadPart("named");
}

/** Refuses saves that only a server can make. */
function assertPlain({ concurrency }: SessionState, cluster: boolean, options: object): void {
  const why = cluster
    ? 'a session with transactionMode "ClusterWide"'
    : concurrency === "WritesAndReads"
      ? 'a session with optimisticConcurrencyMode "WritesAndReads"'
      : Object.keys(options).length > 0
        ? "a save that waits for replication or indexes"
        : undefined;
  if (why) fail("Unsupported", `queueChanges does not take ${why}: use saveChanges`);
}

/** The batch that the session has sealed, as commands for the device. */
export function capture(
  state: SessionState,
  { plan, commands, cluster, options, body }: Batch,
): CapturedBatch {
  const { unitOfWork } = state;
  // The app may have changed the session after `prepare`.
  assertPlain(state, cluster, options);
  const { Commands } = JSON.parse(body) as { Commands: SentCommand[] };
  // Deferred commands follow those of the plan.
  const own = Commands.length - commands.length;
  const slots = [...plan].filter((bits) => (bits & 3) !== COMMAND_CHECK).map((bits) => bits >>> 8);
  const batch: CapturedBatch = { commands: [], texts: [], slots };
  Commands.forEach((command, at) => {
    const { Type, Id, ChangeVector = null, Document } = command;
    const id = Id ?? "";
    const kind = isAttachment(Type) ? "ATTACH" : KINDS[Type];
    if (!kind) fail("Unsupported", `queueChanges does not take commands of type ${Type}: use saveChanges`);
    if (!isFinal(id))
      fail(
        "Unsupported",
        "queueChanges does not take documents whose ids the server makes: store them under an id",
      );
    const slot = unitOfWork.slot(id);
    const content = isAttachment(Type) ? contentOf(command, commands[at - own]) : undefined;
    // A name that is taken is a conflict about the document, which merging would never end.
    const isGuarded = batch.commands.some(({ key, expects }) => key === idKey(id) && expects !== "any");
    if (/MOVE|COPY/.test(Type) && isGuarded)
      fail(
        "Unsupported",
        `queueChanges renames and copies attachments of ${id} in a change that does not write the document: call it once before`,
      );
    const isOwn = at < own;
    if (isOwn && Document) assertLoadable(state, slot, id, Document);
    const before = slot < 0 ? null : documentBefore(state, slot);
    const expected = isOwn
      ? expectationOf(state, slot, before)
      : given(isAttachment(Type) ? null : ChangeVector);
    batch.commands.push({
      document: 0,
      kind,
      id,
      key: idKey(id),
      collection: collectionOf(Document) ?? unitOfWork.versions.kindOf(slot)?.[0] ?? "",
      ...expected,
    });
    const text =
      Type === "PUT" ? JSON.stringify(Document) : Type === "DELETE" ? null : JSON.stringify(command);
    batch.texts.push({ text, before, ...(content && { content }) });
    if (!isOwn && slot >= 0) slots.push(slot);
  });
  return batch;
}

/** The content of an attachment that is stored; refuses what cannot wait on the device. */
function contentOf(
  { Type, Id, Name, ChangeVector, DestinationId }: SentCommand,
  deferred: object | undefined,
): Blob | undefined {
  const refuse = (what: string) =>
    fail("Unsupported", `queueChanges does not take the attachment ${Name} ${what}: use saveChanges`);
  // What another client has made of the attachment would be a conflict that no document shows.
  if (ChangeVector != null) refuse("with a change vector");
  if (DestinationId !== undefined && idKey(DestinationId) !== idKey(Id ?? "")) refuse("of another document");
  if (Type !== "AttachmentPUT") return undefined;
  const { attStream } = deferred as { attStream: AttachmentData };
  if (isBlob(attStream)) return attStream;
  if (typeof attStream === "string" || isArrayBuffer(attStream) || ArrayBuffer.isView(attStream))
    return new Blob([attStream as BlobPart]);
  return refuse(
    "as a stream, which is read only once; pass a Blob, for example await new Response(stream).blob()",
  );
}

type Expected = Pick<StoredCommand, "expects" | "vector">;

const given = (vector: string | null): Expected =>
  vector === null
    ? { expects: "any", vector }
    : vector === ""
      ? { expects: "absent", vector: null }
      : { expects: "vector", vector };

/**
 * What a document of the session must be on the server. A queued change is always guarded, unless the app has asked for none: hours
 * may pass before it is sent, and it would overwrite what others write until then.
 */
function expectationOf({ unitOfWork }: SessionState, slot: number, before: string | null): Expected {
  const { versions } = unitOfWork;
  const check = versions.checkOf(slot);
  if (check === DISABLED) return given(null);
  const vector = versions.vector(slot);
  // The session has the text that it was shown.
  if (vector && !(before !== null && isQueuedVector(vector))) return given(vector);
  if (before !== null) return { expects: "unknown", vector: null };
  // A document under an id that the app chose overwrites, as with `saveChanges`.
  return given(vector === "" || check !== AUTO ? "" : null);
}

/** The document as the session had it from the server or from the device; `null` for a new one. */
function documentBefore({ unitOfWork }: SessionState, slot: number): string | null {
  const { snapshots, versions } = unitOfWork;
  const members = snapshots.before(slot);
  if (members === undefined) return null;
  const [collection, name] = versions.kindOf(slot) ?? [];
  const notes = snapshots.notes(slot);
  const metadata = {
    ...(collection && { "@collection": collection }),
    ...(name && { [CLASS]: name }),
    ...(notes && { [NESTED]: notes }),
    ...snapshots.own(slot),
  };
  return JSON.stringify({ ...members, [META]: metadata });
}

const collectionOf = (document: JsonObject | undefined): string | undefined =>
  (document?.[META] as JsonObject | undefined)?.["@collection"] as string | undefined;

/** The session no longer knows the change vectors of these documents: what it has of them is on the device. */
export function forgetVersions(
  { unitOfWork }: SessionState,
  { commands, texts, slots }: CapturedBatch,
): void {
  for (const slot of slots) {
    if (unitOfWork.at(slot) === undefined) continue;
    const key = idKey(unitOfWork.idAt(slot));
    const own = texts.filter((_, at) => commands[at]?.key === key);
    const text =
      own.length === 1 && commands.some((command) => command.key === key && command.kind === "PUT");
    const vector = text ? queuedVector(own[0]?.text as string) : UNKNOWN_TEXT;
    unitOfWork.storedVector(slot, vector, unitOfWork.versions.checkOf(slot) === DISABLED ? DISABLED : AUTO);
  }
}

/**
 * Fails if the class of an entity would not be found by its document. `store()` learns the name of a class that is not registered, but
 * the next page does not know it: there the document that waits would be a plain object.
 */
export function assertLoadable(
  { conventions, unitOfWork }: SessionState,
  slot: number,
  id: string,
  document: JsonObject,
): void {
  const type = conventions.typeOf(unitOfWork.at(slot));
  // Plain objects need no class, and descriptors of plain objects are registered.
  if (typeof type !== "function" || type === Object) return;
  const isFound = conventions.getJsType(id, document) === type;
  if (isFound && (conventions.hasOwn("findJsType") || !conventions.learned.has(type))) return;
  fail(
    "Unsupported",
    `queueChanges does not take ${id}: its class ${type.name} is not registered, so a later page could not load the document as one; call conventions.registerEntityType(${type.name}) before initialize(), or use saveChanges()`,
  );
}
