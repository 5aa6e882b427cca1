// Operations on single attachments, without a session. Names and results are those of npm `ravendb`.

import { assertNamed, PutAttachmentCommandData } from "../attachments/attachment-commands.js";
import type {
  AttachmentData,
  AttachmentDetails,
  AttachmentProgress,
  AttachmentResult,
  AttachmentType,
} from "../attachments/attachment-types.js";
import { Download, type DownloadStore } from "../attachments/download.js";
import { uploadOf } from "../attachments/upload.js";
import { AnyThis } from "../common/any-this.js";
import { fail } from "../common/error.js";
import { camel } from "../common/member-case.js";
import { query } from "../wire/query-string.js";
import type { CommandResponse, RavenCommand, RavenOperation, SentCommand } from "./operation-types.js";

const route = (named: Record<string, string | undefined>) => `attachments?${query(Object.entries(named))}`;

/**
 * Stores an attachment of a document that exists (`POST bulk_docs`).
 *
 * ```ts
 * const note = new PutAttachmentOperation("products/6-A", "note.txt", "strong", "text/plain");
 * const { size } = await store.operations.send(note);
 * ```
 */
export class PutAttachmentOperation extends AnyThis implements RavenOperation<AttachmentDetails> {
  #documentId;
  #name;
  #stream;
  #contentType;
  #changeVector;
  #onProgress;

  /**
   * @param changeVector The expected change vector of the attachment; `""`: it must not exist; default: any.
   * @param onProgress Called as the content is sent.
   */
  constructor(
    documentId: string,
    name: string,
    stream: AttachmentData,
    contentType?: string | null,
    changeVector?: string | null,
    onProgress?: AttachmentProgress,
  ) {
    super();
    this.#documentId = documentId;
    this.#name = name;
    this.#stream = stream;
    this.#contentType = contentType || undefined;
    this.#changeVector = changeVector ?? undefined;
    this.#onProgress = onProgress;
  }

  getCommand(): RavenCommand<AttachmentDetails> {
    const given = [
      this.#documentId,
      this.#name,
      this.#stream,
      this.#contentType,
      this.#changeVector,
    ] as const;
    const put = Object.assign(new PutAttachmentCommandData(...given), { onProgress: this.#onProgress });
    const text = uploadOf(JSON.stringify({ Commands: [put.serialize()] }), [put]);
    const command: SentCommand<AttachmentDetails> = {
      request: { method: "POST", route: "bulk_docs", text },
      result: null as never,
      settle({ text }: CommandResponse) {
        const { Id, Type, DocumentChangeVector, ...details } = JSON.parse(text).Results[0];
        this.result = camel({ ...details, DocumentId: Id, RemoteParameters: null }) as AttachmentDetails;
      },
    };
    return command;
  }
}

/** Reads an attachment (`GET attachments`); the result is `null` if it does not exist. */
export class GetAttachmentOperation extends AnyThis implements RavenOperation<AttachmentResult> {
  #download;

  /**
   * @param type `"Revision"`: the attachment of the revision with the change vector.
   * @throws {RavenEdgeError} `InvalidArgument` without id or name, or for a revision without a change vector.
   */
  constructor(
    documentId: string,
    name: string,
    type: AttachmentType = "Document",
    changeVector?: string | null,
  ) {
    super();
    if (type !== "Document" && !changeVector)
      fail("InvalidArgument", `an attachment of the type ${type} needs a change vector`);
    this.#download = new Download(
      documentId,
      name,
      type !== "Document" && changeVector ? { revision: changeVector } : {},
    );
  }

  getCommand(): RavenCommand<AttachmentResult> {
    return { request: this.#download.request, result: null as never };
  }

  /** @internal */
  conclude(store: DownloadStore): AttachmentResult | null {
    return this.#download.take(store);
  }
}

/** Deletes an attachment (`DELETE attachments`); one that does not exist is no error. */
export class DeleteAttachmentOperation extends AnyThis implements RavenOperation<void> {
  #documentId;
  #name;
  #changeVector;

  /** @param changeVector The expected change vector of the attachment; default: any. */
  constructor(documentId: string, name: string, changeVector?: string | null) {
    super();
    this.#documentId = documentId;
    this.#name = name;
    this.#changeVector = changeVector ?? undefined;
  }

  getCommand(): RavenCommand<void> {
    const named = { id: this.#documentId, name: this.#name };
    assertNamed({ "document id": named.id, name: named.name });
    return {
      request: { method: "DELETE", route: route(named), ifMatch: this.#changeVector },
      result: undefined,
    } as RavenCommand<void>;
  }
}
