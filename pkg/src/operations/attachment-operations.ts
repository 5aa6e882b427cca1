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
import { fail } from "../common/error.js";
import { camel } from "../common/member-case.js";
import { query } from "../wire/query-string.js";
import { CommandOperation, reading } from "./single-request.js";

/**
 * Stores an attachment of a document that exists (`POST bulk_docs`).
 *
 * ```ts
 * const note = new PutAttachmentOperation("products/6-A", "note.txt", "strong", "text/plain");
 * const { size } = await store.operations.send(note);
 * ```
 */
export class PutAttachmentOperation extends CommandOperation<AttachmentDetails> {
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
    super(() => {
      const command = new PutAttachmentCommandData(
        documentId,
        name,
        stream,
        contentType || null,
        changeVector,
      );
      const put = Object.assign(command, { onProgress });
      const text = uploadOf(JSON.stringify({ Commands: [put.serialize()] }), [put]);
      const read = ({ Results: [result] }: { Results: [Record<string, unknown>] }) => {
        const { Id, Type, DocumentChangeVector, ...details } = result;
        return camel({ ...details, DocumentId: Id, RemoteParameters: null }) as AttachmentDetails;
      };
      return reading({ method: "POST", route: "bulk_docs", text }, read);
    });
  }
}

/** Reads an attachment (`GET attachments`); the result is `null` if it does not exist. */
export class GetAttachmentOperation extends CommandOperation<AttachmentResult> {
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
    if (type !== "Document" && !changeVector)
      fail("InvalidArgument", `an attachment of the type ${type} needs a change vector`);
    const wanted = type !== "Document" && changeVector ? { revision: changeVector } : {};
    const download = new Download(documentId, name, wanted);
    super(() => ({ request: download.request, result: null as never }));
    this.#download = download;
  }

  /** @internal */
  conclude(store: DownloadStore): AttachmentResult | null {
    return this.#download.take(store);
  }
}

/** Deletes an attachment (`DELETE attachments`); one that does not exist is no error. */
export class DeleteAttachmentOperation extends CommandOperation<void> {
  /** @param changeVector The expected change vector of the attachment; default: any. */
  constructor(documentId: string, name: string, changeVector?: string | null) {
    super(() => {
      assertNamed({ "document id": documentId, name });
      const route = `attachments?${query(Object.entries({ id: documentId, name }))}`;
      const request = { method: "DELETE", route, ifMatch: changeVector ?? undefined };
      return { request, result: undefined };
    });
  }
}
