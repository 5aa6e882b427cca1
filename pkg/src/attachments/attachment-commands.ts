// Commands about attachments for `session.advanced.defer`; `session.advanced.attachments` makes the same ones.

import { AnyThis } from "../common/any-this.js";
import { isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import type { ICommandData } from "../saving/batch-commands.js";
import type { DocumentConventions } from "../store/conventions.js";
import type { AttachmentData, AttachmentProgress, IStoreAttachmentParameters } from "./attachment-types.js";
import { assertData, isStream } from "./upload-parts.js";

export function assertNamed(given: Record<string, unknown>): void {
  for (const [what, value] of Object.entries(given))
    if (!isText(value)) fail("InvalidArgument", `an attachment needs a ${what}`);
}

/** What `store` of attachments takes, as one object. */
export class StoreAttachmentParameters implements IStoreAttachmentParameters {
  onProgress?: AttachmentProgress;

  /** @param changeVector The expected change vector of the attachment; `""`: it must not exist; default: any. */
  constructor(
    public name: string,
    public stream: AttachmentData,
    public contentType?: string | null,
    public changeVector?: string | null,
  ) {}
}

/** What to do after a lost response before a command is sent again, which would be refused. */
const adviceFor = ({ id, name }: { id: string; name: string }, otherwise = ""): string =>
  `look for the attachment ${name} of ${id} in another session: if the save was carried out, call advanced.clear()${otherwise}`;

/** What all commands have in common. */
abstract class AttachmentCommandData extends AnyThis implements ICommandData {
  abstract readonly type: string;
  declare readonly id: string;
  declare readonly name: string;
  declare readonly changeVector: string | null;

  /** @internal */
  constructor(
    id: string,
    name: string,
    changeVector: string | null = null,
    more: Record<string, string> = {},
  ) {
    super();
    assertNamed({ "document id": id, name, ...more });
    this.id = id;
    this.name = name;
    this.changeVector = changeVector;
  }

  serialize(_conventions?: DocumentConventions): object {
    return { Id: this.id, Name: this.name, ChangeVector: this.changeVector, Type: this.type };
  }
}

/** Stores an attachment. */
export class PutAttachmentCommandData extends AttachmentCommandData {
  readonly type = "AttachmentPUT";
  declare readonly contentType: string | undefined;
  /** The content. */
  declare readonly attStream: AttachmentData;
  /** Called as the content is sent. */
  declare readonly onProgress: AttachmentProgress | undefined;

  /**
   * @param changeVector The expected change vector of the attachment; `""`: it must not exist; `null`: any.
   * @param remoteParameters Storage outside of the database (npm `ravendb`): `Unsupported`.
   * @throws {RavenEdgeError} `InvalidArgument` for a blank id or name, and for what is no content.
   */
  constructor(
    documentId: string,
    name: string,
    stream: AttachmentData,
    contentType?: string | null,
    changeVector?: string | null,
    remoteParameters?: null,
  ) {
    super(documentId, name, changeVector);
    assertData(stream, name);
    if (remoteParameters) fail("Unsupported", "attachments in other storage (remoteParameters) are absent");
    this.attStream = stream;
    this.contentType = contentType ?? undefined;
  }

  /**
   * Whether it may be sent again: nothing is expected, and the content can be read again.
   * @internal
   */
  get isRepeatable(): boolean {
    return this.changeVector === null && !isStream(this.attStream);
  }

  /** @internal */
  get advice(): string | undefined {
    if (this.isRepeatable) return undefined;
    return adviceFor(this, isStream(this.attStream) ? ", else store it again with a new stream" : "");
  }

  /**
   * Whether it is saved if the new document that it is about is: both are in one transaction, also in a sharded database.
   * @internal
   */
  get isPart(): boolean {
    return this.changeVector === null;
  }

  override serialize(conventions?: DocumentConventions): object {
    return { ...super.serialize(conventions), ContentType: this.contentType ?? null };
  }
}

/** Deletes an attachment; one that does not exist is no error. */
export class DeleteAttachmentCommandData extends AttachmentCommandData {
  readonly type = "AttachmentDELETE";

  /** @param changeVector The expected change vector of the attachment; default: any. */
  constructor(documentId: string, name: string, changeVector?: string | null) {
    super(documentId, name, changeVector);
  }

  /** @internal */
  get isRepeatable(): boolean {
    return this.changeVector === null;
  }

  /** @internal */
  get advice(): string | undefined {
    return this.isRepeatable ? undefined : adviceFor(this);
  }
}

/** What moving and copying have in common. */
abstract class TransferCommandData extends AttachmentCommandData {
  #destination;

  /** @param changeVector The expected change vector of the attachment; default: any. */
  constructor(
    documentId: string,
    name: string,
    destinationDocumentId: string,
    destinationName: string,
    changeVector?: string | null,
  ) {
    super(documentId, name, changeVector, {
      "destination document id": destinationDocumentId,
      "destination name": destinationName,
    });
    this.#destination = { DestinationId: destinationDocumentId, DestinationName: destinationName };
  }

  /** @internal */
  get advice(): string {
    return adviceFor(this);
  }

  override serialize(conventions?: DocumentConventions): object {
    return { Id: this.id, Name: this.name, ...this.#destination, ...super.serialize(conventions) };
  }
}

/** Moves an attachment to another document, or gives it another name. */
export class MoveAttachmentCommandData extends TransferCommandData {
  readonly type = "AttachmentMOVE";
}

/** Copies an attachment. */
export class CopyAttachmentCommandData extends TransferCommandData {
  readonly type = "AttachmentCOPY";
}
