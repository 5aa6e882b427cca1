// Attachments in sessions, which are loaded when they are first used: `session.advanced.attachments` defers commands and reads; the body of a save
// that stores some, and what it has made of them.

import { documentId, isDeleted } from "../capabilities/about-a-document.js";
import type { SendBatch } from "../capabilities/session-part.js";
import { AnyThis } from "../common/any-this.js";
import { isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import { attachmentNames } from "../documents/listed-names.js";
import { metadata } from "../documents/metadata.js";
import type { Batch } from "../saving/batch.js";
import type { ICommandData } from "../saving/batch-commands.js";
import type { CommandResult } from "../saving/settle.js";
import type { SessionState } from "../session/session-state.js";
import {
  assertNamed,
  CopyAttachmentCommandData,
  DeleteAttachmentCommandData,
  MoveAttachmentCommandData,
  PutAttachmentCommandData,
} from "./attachment-commands.js";
import type {
  AttachmentData,
  AttachmentName,
  AttachmentResult,
  AttachmentsSessionOperations,
  IStoreAttachmentParameters,
} from "./attachment-types.js";
import { Download } from "./download.js";
import { uploadOf } from "./upload.js";
import { assertSendable, wasRead } from "./upload-parts.js";

/** Sends a batch with commands about attachments. `send` sends its body, by default its text. */
export async function send(
  _: SessionState,
  { cluster, body, commands }: Batch,
  send: SendBatch,
): Promise<string> {
  if (cluster) fail("InvalidOperation", "a cluster-wide transaction takes no attachments");
  const upload = uploadOf(
    body,
    commands.filter((command) => command instanceof PutAttachmentCommandData),
  );
  try {
    return await send(upload);
  } catch (error) {
    // A stream of the app has failed: the request has no end, so nothing of it was carried out.
    throw upload?.failure ?? error;
  }
}

/** What the server reports of a command about an attachment. */
interface AttachmentCommandResult extends CommandResult {
  Name?: string;
  Hash?: string;
  ContentType?: string;
  Size?: number;
  /** The vector of the document after the whole batch; absent if the document does not exist. */
  DocumentChangeVector?: string;
  /** Of an attachment that was moved. */
  DestinationId?: string;
  DestinationName?: string;
  DestinationDocumentChangeVector?: string;
}

/** An attachment in metadata. */
interface Listed {
  name?: string | undefined;
}

export function applyResult(state: SessionState, result: AttachmentCommandResult): void {
  const { Type, Id, "@id": id = Id ?? "", Name, Hash: hash, ContentType: contentType, Size: size } = result;
  const { DocumentChangeVector: vector, DestinationId, DestinationName } = result;
  const added = { changeVector: result.ChangeVector, hash, contentType, size };
  if (Type === "AttachmentDELETE") change(state, id, vector, Name);
  else if (Type === "AttachmentMOVE") {
    change(state, id, vector, Name);
    const moved = result.DestinationDocumentChangeVector ?? vector;
    change(state, DestinationId ?? id, moved, DestinationName, { name: DestinationName, ...added });
  } else change(state, id, vector, Name, { name: Name, ...added });
}

/** Removes an attachment from the metadata of a document of the session, and adds the new one. */
function change(
  state: SessionState,
  id: string,
  vector: string | undefined,
  name: string | undefined,
  added?: Listed,
): void {
  const { unitOfWork } = state;
  const slot = unitOfWork.slot(id);
  if (slot < 0 || !vector) return;
  unitOfWork.storedVector(slot, vector);
  const shown = metadata(unitOfWork, slot);
  const others = ((shown["@attachments"] ?? []) as Listed[]).filter((each) => each.name !== name);
  Reflect.set(shown, "@attachments", added ? [...others, added] : others);
}

export { uploadOf } from "./upload.js";

/** How a deferred command of another type is called in errors. */
const CALLED: Record<string, string> = {
  DELETE: "delete the document",
  AttachmentPUT: "create the attachment",
  AttachmentDELETE: "delete the attachment",
  AttachmentMOVE: "rename the attachment",
};

class SessionAttachments extends AnyThis implements AttachmentsSessionOperations {
  #state;

  constructor(state: SessionState) {
    super();
    this.#state = state;
  }

  getNames(entity: object): AttachmentName[] {
    return attachmentNames(this.#state, entity);
  }

  store(
    target: string | object,
    given: string | IStoreAttachmentParameters,
    stream?: AttachmentData,
    contentType?: string,
  ): void {
    const parameters: IStoreAttachmentParameters =
      typeof given === "string"
        ? { name: given, stream: stream as AttachmentData, contentType }
        : { ...given };
    const { name, stream: content, contentType: type, changeVector, onProgress } = parameters;
    const id = this.#idOf(target);
    const { remoteParameters } = parameters as { remoteParameters?: null };
    const command = new PutAttachmentCommandData(id, name, content, type, changeVector, remoteParameters);
    assertSendable(content, name, this.#state.runtime.Parking !== undefined);
    this.#dropRead(id, name);
    this.#assertFree("store", id, name, ["DELETE", "AttachmentPUT", "AttachmentDELETE", "AttachmentMOVE"]);
    this.#assertNotDeleted("store", id, name);
    this.#state.unitOfWork.storedCommand(onProgress ? Object.assign(command, { onProgress }) : command);
  }

  delete(target: string | object, name: string): void {
    const id = this.#idOf(target);
    const command = new DeleteAttachmentCommandData(id, name, null);
    if (this.#find(id, "DELETE") || this.#find(id, "AttachmentDELETE", name) || isDeleted(this.#state, id))
      return;
    this.#assertFree("delete", id, name, ["AttachmentPUT", "AttachmentMOVE"]);
    this.#state.unitOfWork.storedCommand(command);
  }

  rename(target: string | object, name: string, newName: string): void {
    this.move(target, name, target, newName);
  }

  move(source: string | object, name: string, destination: string | object, newName: string): void {
    this.#transfer("move", MoveAttachmentCommandData, source, name, destination, newName);
  }

  copy(source: string | object, name: string, destination: string | object, newName: string): void {
    this.#transfer("copy", CopyAttachmentCommandData, source, name, destination, newName);
  }

  #transfer(
    what: string,
    Command: new (...given: [id: string, name: string, toId: string, toName: string]) => ICommandData,
    source: string | object,
    name: string,
    destination: string | object,
    newName: string,
  ): void {
    const from = this.#idOf(source);
    const to = this.#idOf(destination);
    const command = new Command(from, name, to, newName);
    if (idKey(from) === idKey(to) && name === newName) return;
    for (const [id, each] of [
      [from, name],
      [to, newName],
    ] as const) {
      this.#assertNotDeleted(what, id, each);
      this.#assertFree(what, id, each, ["AttachmentDELETE", "AttachmentMOVE"]);
    }
    this.#state.unitOfWork.storedCommand(command);
  }

  async exists(documentId: string, name: string): Promise<boolean> {
    assertNamed({ "document id": documentId, name });
    this.#state.use("exists");
    this.#state.count();
    const { route } = new Download(documentId, name);
    return (await this.#state.ask({ method: "HEAD", route, safe: true })).status === 200;
  }

  async get(target: string | object, name: string): Promise<AttachmentResult | null> {
    return this.#read(new Download(this.#idOf(target), name));
  }

  async getRange(
    target: string | object,
    name: string,
    from: number,
    to?: number,
  ): Promise<AttachmentResult | null> {
    return this.#read(new Download(this.#idOf(target), name, { from, to }));
  }

  async getRevision(
    documentId: string,
    name: string,
    changeVector: string,
  ): Promise<AttachmentResult | null> {
    return this.#read(new Download(documentId, name, { revision: changeVector }));
  }

  async #read(download: Download): Promise<AttachmentResult | null> {
    this.#state.use("get");
    this.#state.count();
    return download.open(this.#state.store);
  }

  #idOf(target: string | object): string {
    // The command, or the download, refuses what is no id.
    return isObject(target) ? documentId(this.#state, target, "attachments") : (target as string);
  }

  /**
   * The deferred command of this type about a document, or about its attachment of this name. As in npm `ravendb`, another spelling
   * of the id is another attachment.
   */
  #find(id: string, type: string, name?: string): ICommandData | undefined {
    return this.#state.unitOfWork.deferred.find(
      (command) =>
        command.type === type &&
        (name === undefined
          ? idKey(command.id ?? "") === idKey(id)
          : command.name === name && command.id === id),
    );
  }

  /** A save that failed has read the stream of this attachment: the app stores it again with another one. */
  #dropRead(id: string, name: string): void {
    const found = this.#find(id, "AttachmentPUT", name);
    if (!(found instanceof PutAttachmentCommandData) || !wasRead(found.attStream)) return;
    const state = this.#state;
    if (!state.isSealed(found)) state.unitOfWork.evictedCommand(found);
  }

  #assertFree(what: string, id: string, name: string, types: string[]): void {
    for (const type of types)
      if (this.#find(id, type, type === "DELETE" ? undefined : name))
        refuse(what, id, name, `a deferred command is to ${CALLED[type]}`);
  }

  #assertNotDeleted(what: string, id: string, name: string): void {
    if (isDeleted(this.#state, id)) refuse(what, id, name, "the document is deleted in this session");
  }
}

function refuse(what: string, id: string, name: string, why: string): never {
  fail("InvalidOperation", `cannot ${what} the attachment ${name} of ${id}: ${why}`);
}

/** `session.advanced.attachments` of a session. */
export const of = (state: SessionState): SessionAttachments => new SessionAttachments(state);
