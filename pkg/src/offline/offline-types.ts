// The queue of changes on the device, as apps see it. Types alone.

import type { RavenEdgeError } from "../common/error.js";
import type { NamedQueryCall, Names } from "../named/named-definitions.js";

/** A document as it is stored, with its `@metadata`; `null` if there is none. */
export type OfflineDocument = Record<string, unknown> | null;

/** The three sides of a conflict about one document. */
export interface DocumentConflict {
  readonly id: string;
  /** Its collection; empty if it has none. */
  readonly collection: string;
  /** What the device had when the change was made; `null` for a new document, and for a deletion by id alone. */
  readonly base: OfflineDocument;
  /** What the change makes of it; `null` if it deletes it. */
  readonly mine: OfflineDocument;
  /** What the server has; `null` if the document was deleted there, or this user may not read it any more. */
  readonly theirs: OfflineDocument;
  /**
   * Set if the server has turned out to have a document with this id that the user may not read; then {@link theirs} is `null`.
   * `resolve("mine")` stores mine under a new id.
   */
  readonly hidden?: true;
  /** What the change does with attachments of the document, if it does. `"theirs"` gives that up, too. */
  readonly attachments?: readonly QueuedAttachment[];
}

/**
 * Merges the two sides of a conflict: returns the document to save (`null` deletes it), or `undefined` to ask the app by the event
 * `conflict`. It runs on copies, synchronously; if it throws, the app is asked.
 */
export type MergeFunction = (conflict: DocumentConflict) => OfflineDocument | undefined;

/**
 * How conflicts of a collection are resolved. `"lastWriter"`: the change of this device wins, always. `"fields"`: members that
 * only one side has changed are merged; where both have changed the same member, the app is asked.
 */
export type MergeRule = "lastWriter" | "fields" | MergeFunction;

/** A query by its name, and which page of it; without `take` all results. */
export type NamedPages<Defined extends Names = Names> = NamedQueryCall<Defined> & {
  skip?: number;
  take?: number;
};

/** What is kept on the device. */
export interface DocumentsOptions {
  /** The most that is kept of a database, in bytes, from 1 to 4,294,967,295; default: 50 MiB. What was not used for longest goes first. */
  maxBytes?: number;
  /** The collections whose documents are kept; default: all. */
  collections?: readonly string[];
}

/** What a set has: a query by its name, or all documents of a collection. */
type SetSource<Defined extends Names> =
  | NamedQueryCall<Defined>
  | { named?: undefined; parameters?: undefined; collection: string };

/**
 * A set: all documents of a query by its name, or of a collection, on this device. Through a gateway the query is declared with
 * `set: true`, and a collection without a query by the gateway's option `sets`, under the name of the set.
 */
export type SetDeclaration<Defined extends Names = Names> = SetSource<Defined> & SetSettings;

/** What a set does. */
export interface SetSettings {
  /** The collection. Beside a query: documents of it that were created on this device are shown before the server has compared them. */
  collection?: string;
  /**
   * Whether the set follows changes of {@link collection} while the page is seen: it is compared soon after each, at intervals of at least ten
   * times the duration of a comparison. Of a collection without rows, few new and changed documents are loaded by their ids instead. A
   * gateway needs the option `live`. Default: `false`.
   */
  live?: boolean;
  /** The most that the set takes on this device, in bytes; default: 100 MiB. A larger set is an error, and is not shown as complete. */
  maxBytes?: number;
}

/** The documents of sets by the names of the sets, as the app's names have them. */
export type SetDocuments<Defined> = Defined extends { readonly setDocuments: infer Documents }
  ? Documents
  : Readonly<Record<string, object>>;

/** The names of sets. */
export type SetName<Defined> = keyof SetDocuments<Defined> & string;

/** What was changed in a set, by this tab or another one: by comparisons, and by changes that were queued, saved or given up. */
export interface SetChange<Document extends object = object> {
  readonly added: readonly Document[];
  readonly changed: readonly Document[];
  /** The ids. */
  readonly removed: readonly string[];
}

/** The events of a set, with what listeners get. */
export interface SetEvents<Document extends object = object> {
  change: SetChange<Document>;
  /** It has been compared, and is complete as of `syncedAt`. */
  synced: { readonly syncedAt: Date };
  error: RavenEdgeError;
  /** Any of these may have changed. Without a connection there is no event `error`, but this one. */
  state: SetState;
}

/** How complete a set is. */
export interface SetState {
  /** When the comparison began as of which the set was complete last; `null`: it has never been, or the device has not been read yet. */
  readonly syncedAt: Date | null;
  /** Whether it has all documents as of {@link syncedAt}. A document that is found absent or in an unknown version ends that until the next comparison. */
  readonly isComplete: boolean;
  /**
   * Of the comparison under way: documents that were loaded, of those that are to be. How many these are is not known while all documents
   * are loaded for the first time.
   */
  readonly progress: { readonly loaded: number; readonly total: number | undefined } | undefined;
  /** Why the last comparison has failed, if it has. */
  readonly error: RavenEdgeError | undefined;
}

/** `store.offline.set(name)`: documents that are all on this device. */
export interface OfflineSet<Document extends object = object> extends SetState {
  /** Resolves when the set has been complete once, on this page or an earlier one. */
  readonly ready: Promise<void>;
  /**
   * All documents that are on the device, in no order, with their `@metadata` and, as the store's conventions name it, their `id`; pending
   * changes are laid over them.
   */
  documents<T extends Document = Document>(): Promise<T[]>;
  /** Compares the set with the server, and loads what differs. Without a call it happens at start, when connection or page are back, and after saves. */
  sync(): Promise<void>;
  on<Name extends keyof SetEvents>(event: Name, listener: (detail: SetEvents<Document>[Name]) => void): this;
  off<Name extends keyof SetEvents>(event: Name, listener: (detail: SetEvents<Document>[Name]) => void): this;
}

/** Options of `offline()`. */
export interface OfflineOptions<Defined extends Names = Names> {
  /** Who makes the changes: they are never sent as another user. The gateway compares it with the caller. */
  user: string;
  /**
   * How conflicts are resolved, by collection; `"*"` is for all others. Default: the app is asked by the event `conflict`.
   *
   * ```ts
   * offline({ user: "ann", merge: { Notes: "fields", Settings: "lastWriter" } });
   * ```
   */
  merge?: Record<string, MergeRule>;
  /** The version of the app's documents, kept with each change and each document. Default: 0. */
  version?: number;
  /**
   * Rewrites a document that an older version of the app has queued, before it is sent, and one that it has kept on this device, each time it
   * is read from there; returns the document. It must accept documents that have the new form already. Default: they stay as they are.
   */
  upgrade?: (
    document: Record<string, unknown>,
    change: { id: string; version: number },
  ) => Record<string, unknown>;
  /**
   * Keeps documents on this device, for times without a connection: what sessions load and save, and the results of queries by name.
   * Default: nothing is kept. `docs/kept-documents.md` has the rules.
   */
  documents?: DocumentsOptions;
  /** Sets by name. With them {@link documents} is `{}` by default; its `collections` must be absent. */
  sets?: { [Name in SetName<Defined>]: SetDeclaration<Defined> };
  /**
   * How long a session waits for the server before it shows what is kept, in milliseconds. Later reads do not wait, until the
   * server responds. Default: 3,000.
   */
  patience?: number;
  /** Whether changes are sent without a call of {@link OfflineQueue.flush}. Default: `true`. */
  automatic?: boolean;
}

/**
 * Where a change is. `"queued"`: on this device. `"sending"`: in a request. `"conflict"`: somebody else has changed a document of
 * it; the event `conflict` tells. `"refused"`: the server refuses it; see {@link QueuedChange.error}. `"unknown"`: it may be
 * saved or not, because the server has lost the receipt of this device; {@link OfflineQueue.retry} sends it again. `"saved"`: on the
 * server. `"discarded"`: the app gave it up.
 */
export type ChangeState = "queued" | "sending" | "conflict" | "refused" | "unknown" | "saved" | "discarded";

/** What a queued change does with a document. */
export interface QueuedCommand {
  /** `"attachment"` and `"counters"`: something with one of its attachments, or with its counters. */
  readonly kind: "store" | "delete" | "patch" | "attachment" | "counters";
  /** The id of the document. */
  readonly id: string;
  /** The collection of the document; empty if the device does not know it. */
  readonly collection: string;
}

/** A command with its content: {@link QueuedChange.details}. */
export interface QueuedCommandDetails extends QueuedCommand {
  /** The document as the device had it before the change; `null` for a new one, and if the session had not loaded it. */
  readonly before: OfflineDocument;
  /** The document as it will be, of `"store"`; `null` for `"delete"`; absent for the others, whose result the server makes. */
  readonly document?: OfflineDocument;
  /** Of `"patch"`. */
  readonly patch?: QueuedPatch;
  /** Of `"attachment"`. */
  readonly attachment?: QueuedAttachment;
  /** Of `"counters"`. */
  readonly counters?: readonly QueuedCounter[];
}

/** A queued patch: its name, or its script. */
export interface QueuedPatch {
  readonly named?: string;
  readonly script?: string;
  readonly parameters: object;
}

/** What a queued change does with a counter. */
export interface QueuedCounter {
  readonly action: "increment" | "delete";
  readonly name: string;
  /** What is added. */
  readonly delta?: number;
}

/** What was queued by one call of `queueChanges()`: it is saved as a whole or not at all. */
export interface QueuedChange {
  /** Its name on this device; stays the same when the page is loaded again. */
  readonly id: string;
  /** The ids of its documents. They are final. */
  readonly documents: readonly string[];
  /** What it does, in the order in which the server does it. */
  readonly commands: readonly QueuedCommand[];
  readonly state: ChangeState;
  /** When it was queued, by the clock of the device. */
  readonly queuedAt: Date;
  /** Why the server refused it, if it did. */
  readonly error: RavenEdgeError | undefined;
  /**
   * Resolves when the server has it; rejects when it is discarded. A rejection that nobody listens to causes no warning. It does not
   * outlive the page: ask `store.offline.changes()` after a reload.
   */
  readonly saved: Promise<void>;
  /**
   * Reads the documents of its commands from the device, for a page that shows what waits; in the order of {@link commands}. Empty when
   * the change is no longer on the device, because it was saved or discarded.
   *
   * ```ts
   * for (const { kind, document, before } of await change.details()) show(kind, document ?? before);
   * ```
   */
  details(): Promise<readonly QueuedCommandDetails[]>;
  /** Its members as `JSON.stringify` shows them, for logs: all but {@link saved}, and the documents. */
  toJSON(): object;
}

/**
 * The server or the gateway wants this user to sign in (401), for changes that wait or for a read. No change is sent until
 * `store.offline.retry()`. The event is also emitted for a queue that an earlier page has left so.
 */
export interface NeedsAuthEvent {
  /** Whose changes wait: the option `user` of `offline()`. */
  readonly user: string;
}

/** What a queued change does with an attachment of a document. */
export interface QueuedAttachment {
  readonly action: "store" | "delete" | "rename" | "copy";
  readonly name: string;
  /** After renaming, or of the copy. */
  readonly newName?: string;
  /** What is stored. */
  readonly content?: Blob;
  readonly contentType?: string;
}

/** Somebody else has changed documents of a queued change. */
export interface ConflictEvent {
  readonly change: QueuedChange;
  /** The documents that are in conflict. */
  readonly documents: readonly DocumentConflict[];
  /**
   * Resolves it. `"mine"` saves the change over what the server has; a new document whose id is taken, or one that is
   * {@link DocumentConflict.hidden}, gets a new id, which the promise gives. `"theirs"` gives the change up. A list of documents, in
   * the order of {@link documents}, saves them (`null` deletes one).
   */
  resolve(choice: "mine" | "theirs" | readonly OfflineDocument[]): Promise<Record<string, string>>;
}

/** What an app shows of its queue. */
export interface OfflineStatus {
  /** Whether the page has read what is on this device. Until then all numbers are 0, whatever waits: do not show them. */
  readonly ready: boolean;
  /** Whether the last request of the queue reached the server, or one of the store since; what the browser says, before the first. */
  readonly online: boolean;
  /** Changes that wait on this device, without those in conflict and those refused. */
  readonly queued: number;
  /** Changes in the request under way. */
  readonly sending: number;
  readonly conflicts: number;
  readonly refused: number;
  /** Changes that may be saved or not: see {@link ChangeState}. */
  readonly unknown: number;
  /** When the oldest change that is not saved was queued. */
  readonly oldest: Date | undefined;
  /** Characters of the texts of changes that are not saved, and bytes of their attachments, about. */
  readonly bytes: number;
  /** Whether nothing is sent until {@link OfflineQueue.resume}: the app paused it, or the database was replaced. */
  readonly paused: boolean;
  /**
   * Whether the user has to sign in (again): the queue is paused until then, or a read was refused (401), also if nothing waits to be sent.
   * {@link OfflineQueue.retry} says that the user has.
   */
  readonly needsAuth: boolean;
  /** Whether the browser has promised to keep the site's data (`navigator.storage.persist()`); `undefined` before it has said so. */
  readonly persisted: boolean | undefined;
  /** Entries on this device that cannot be read; they are set aside, and `export()` has them. */
  readonly damaged: number;
}

/** `store.offline`: the changes of the store's user that wait on this device. */
export interface OfflineQueue<Defined extends Names = Names> {
  /** The current numbers; the event `offline` of the store says when they have changed. */
  status(): OfflineStatus;
  /** The conflicts that wait for the app; each is emitted as the event `conflict`, too, when it arises and when the page starts. */
  conflicts(): Promise<ConflictEvent[]>;
  /** The changes that are not saved, oldest first. */
  changes(): Promise<QueuedChange[]>;
  /**
   * Sends what waits. Resolves with `true` when nothing is left to send, with `false` when the time is over or something waits for the
   * app: conflicts, refusals, a sign-in.
   * @param options `timeout` in milliseconds, default 30,000.
   */
  flush(options?: { timeout?: number }): Promise<boolean>;
  /** Sends nothing until {@link resume}. A request under way goes on. */
  pause(): Promise<void>;
  /** Goes on. After the database was replaced by another one, this says that the changes shall be sent to the new one. */
  resume(): Promise<void>;
  /**
   * Sends a refused change again; without an argument all of them. Also to be called after the user has signed in
   * again: what is watched is read and connected at once.
   */
  retry(change?: QueuedChange | string): Promise<void>;
  /**
   * Gives a change up: its {@link QueuedChange.saved} rejects. Later changes of its documents are made anew on what the server has. If
   * it may have been sent already, that is found out first: it may still be saved.
   */
  discard(change: QueuedChange | string): Promise<void>;
  /**
   * Removes all changes and kept documents of a user from this device, for a sign-out: ask {@link pending} first.
   * @param options `user`: default the user of this store.
   */
  clear(options?: { user?: string }): Promise<void>;
  /** The number of changes that are not saved. */
  pending(): Promise<number>;
  /**
   * Loads documents, or results of a query by its name, and keeps them; resolves when they are on the device. Without `skip` and
   * `take` all results are loaded. Sessions find them by the same ids, or by the same name, parameters, `skip` and `take`.
   * @throws {RavenEdgeError} `InvalidOperation` without the option `documents`; `Storage` if nothing can be kept here;
   * `Unreachable`.
   */
  prefetch(what: readonly string[] | NamedPages<Defined>): Promise<void>;
  /**
   * A set of the option `sets`: the same object each time. It is compared from the first call on.
   * @throws {RavenEdgeError} `InvalidArgument` for another name.
   */
  set<Name extends SetName<Defined>>(name: Name): OfflineSet<SetDocuments<Defined>[Name] & object>;
  /**
   * Tracks a document of this device, such as one of a set, in a session, as a load would, without a request. Resolves with the session's
   * entity; with the one that it has, if it tracks the document already.
   * @throws {RavenEdgeError} `InvalidOperation` if the device has another version by now.
   */
  adopt<T extends object>(session: object, document: T): Promise<T>;
  /** Everything that is not saved, as JSON, for support; of attachments names and sizes, without their contents. */
  export(): Promise<string>;
  /**
   * Calls `listener` when the user has signed in again; returns the function that ends it.
   * @internal
   */
  onSignedIn(listener: () => void): () => void;
  /** Whether documents are kept. @internal */
  readonly keeps: boolean;
}

/** What `offline()` returns, for the option `offline` of a store. */
export interface OfflineOption {
  /** Makes the queue of a store. @internal */
  attach(store: never): object;
}
