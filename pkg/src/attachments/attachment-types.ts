// Attachments as apps see them. Types alone.

/**
 * The content of an attachment to store. A `Blob` or `File` is read from the device as it is sent, and a stream piece by piece, so
 * neither is held in memory. Pages cannot send streams: a `ReadableStream` is `Unsupported` there.
 */
export type AttachmentData =
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | string
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

/** Gets the bytes that were handed to the platform so far; `total`: all bytes of the attachment, `undefined` for a stream. */
export type AttachmentProgress = (sent: number, total: number | undefined) => void;

/** `"Revision"`: the attachment of a revision of its document. */
export type AttachmentType = "Document" | "Revision";

/** An attachment in the metadata of its document. */
export interface AttachmentName {
  name: string;
  /** Hash of the content, in base64: equal contents have equal hashes. */
  hash: string;
  /** The content type that was given when it was stored; `""`: none. */
  contentType: string;
  /** Bytes. */
  size: number;
}

/** What the server has of an attachment. */
export interface AttachmentDetails extends AttachmentName {
  /** The change vector of the attachment, which is not that of its document; `null` if a proxy has removed it (the header `ETag`). */
  changeVector: string;
  documentId?: string;
}

/** The content of an attachment, and what the server has of it. */
export interface AttachmentResult {
  /**
   * The content as it arrives; it can be read once. In Node, Deno and Bun a `Readable` of `node:stream`, as in npm `ravendb`;
   * elsewhere a `ReadableStream`, which can also be iterated. Each piece must come within the store's time limit.
   */
  // biome-ignore lint/suspicious/noExplicitAny: as in npm `ravendb`, where programs take it for the stream of their platform
  data: any;
  details: AttachmentDetails;
  /** The whole content; on the device, if the browser keeps large blobs there. */
  blob(): Promise<Blob>;
  /** The whole content in memory. */
  arrayBuffer(): Promise<ArrayBuffer>;
  /** The whole content as UTF-8. */
  text(): Promise<string>;
  /** Ends the request if the content is not read to its end. */
  dispose(): void;
}

/** An attachment to store: the parameters of {@link AttachmentsSessionOperations.store} as one object. */
export interface IStoreAttachmentParameters {
  name: string;
  /** The content. */
  stream: AttachmentData;
  contentType?: string | null | undefined;
  /** The expected change vector of the attachment; `""`: it must not exist; default: any. */
  changeVector?: string | null | undefined;
  /** Called as the content is sent. */
  onProgress?: AttachmentProgress | undefined;
}

/**
 * The attachments of documents: `session.advanced.attachments`. What is stored, deleted, renamed, moved and copied is sent by the
 * next `saveChanges`, in the same transaction as the documents.
 *
 * ```ts
 * session.advanced.attachments.store(product, "photo.png", file, "image/png");
 * await session.saveChanges();
 * ```
 */
export interface AttachmentsSessionOperations {
  /** The attachments in the metadata of an entity, as they were loaded or last saved. */
  getNames(entity: object): AttachmentName[];
  /**
   * Stores an attachment with the next save. An attachment with this name is replaced.
   * @throws {RavenEdgeError} `InvalidArgument` without id or name, and for an object that is not an entity of the session;
   * `InvalidOperation` if the document is deleted in the session, or a deferred command is about the attachment; `Unsupported` for a
   * stream in a page. In a page the first call loads the code, and errors of calls before then reject `saveChanges`.
   */
  store(
    documentIdOrEntity: string | object,
    name: string,
    stream: AttachmentData,
    contentType?: string,
  ): void;
  store(documentIdOrEntity: string | object, parameters: IStoreAttachmentParameters): void;
  /** Deletes an attachment with the next save; one that does not exist is no error. */
  delete(documentIdOrEntity: string | object, name: string): void;
  /** Renames an attachment with the next save. */
  rename(documentIdOrEntity: string | object, name: string, newName: string): void;
  /** Moves an attachment to another document, or to another name, with the next save. */
  move(
    sourceIdOrEntity: string | object,
    sourceName: string,
    destinationIdOrEntity: string | object,
    destinationName: string,
  ): void;
  /** Copies an attachment with the next save; the server keeps equal contents once. */
  copy(
    sourceIdOrEntity: string | object,
    sourceName: string,
    destinationIdOrEntity: string | object,
    destinationName: string,
  ): void;
  /** Whether an attachment exists (`HEAD attachments`). */
  exists(documentId: string, name: string): Promise<boolean>;
  /** An attachment; `null` if it does not exist. */
  get(documentIdOrEntity: string | object, name: string): Promise<AttachmentResult | null>;
  /**
   * A part of an attachment: the bytes `from` to `to`, both included; without `to` until the end.
   * @throws {RavenEdgeError} `InvalidArgument` if the attachment is shorter, or for numbers that are no range.
   */
  getRange(
    documentIdOrEntity: string | object,
    name: string,
    from: number,
    to?: number,
  ): Promise<AttachmentResult | null>;
  /** The attachment of a revision; `changeVector`: that of the revision. */
  getRevision(documentId: string, name: string, changeVector: string): Promise<AttachmentResult | null>;
}

/** By this name in npm `ravendb`. */
export type IAttachmentsSessionOperations = AttachmentsSessionOperations;
