// The queue of a store's user on this device: what `store.offline` is.

import {
  DEED_CONFLICT,
  DEED_REGRESSION,
  DEED_REMOVE,
  DEED_STORE,
  PAUSE_AUTH,
  QUEUED_CLEAR,
  QUEUED_DISCARD,
  QUEUED_PAUSE,
  QUEUED_RESUME,
  QUEUED_RETRY,
  QUEUED_SIGNED_IN,
  STATE_CONFLICT,
  STATE_PARKED,
  STATE_UNSURE,
} from "../../gen/protocol.js";
import { AnyThis } from "../common/any-this.js";
import { checkName } from "../common/arguments.js";
import { isOffline } from "../common/connection.js";
import { fail, RavenEdgeError } from "../common/error.js";
import type { LoadedBodies } from "../loading/request-documents.js";
import type { KeepBatch } from "../saving/save.js";
import type { OfflineReading } from "../session/session-options.js";
import type { SessionState } from "../session/session-state.js";
import type { StoreBase } from "../store/store.js";
import { changeHandles } from "./change-handles.js";
import { conflictsOf } from "./conflicts.js";
import { addChange, renewVectors } from "./device/add-change.js";
import type { Effect } from "./device/queue-core.js";
import { type Memory, QueueState } from "./device/queue-state.js";
import { exported, noDocuments, originOf, Persistence, scopeOf } from "./device/storage-of-queue.js";
import { upgradeChanges } from "./device/upgrade-changes.js";
import { adopt } from "./documents/adopt.js";
import { keptDocuments } from "./documents/kept-documents.js";
import { keptAt } from "./documents/requested.js";
import type { SavedKeys } from "./documents/seen-documents.js";
import type {
  ConflictEvent,
  NamedPages,
  OfflineOptions,
  OfflineSet,
  OfflineStatus,
  QueuedChange,
  SetDeclaration,
} from "./offline-types.js";
import { assertNonePending, layPending, type Pending, writtenBy } from "./pending-documents.js";
import type { QueueOfStore } from "./queue-of-store.js";
import { readEnded, regressionEvent, StatusEvents, statusOf } from "./queue-status.js";
import { type CapturedBatch, capture, forgetVersions, prepare } from "./queueing/capture.js";
import { firstContact } from "./queueing/first-contact.js";
import { Drain } from "./sending/drain.js";
import { QueueRequests } from "./sending/send-batch.js";
import { Sender } from "./sending/sender.js";
import { tellSignedOut } from "./sets/set-channel.js";
import { SetHandle } from "./sets/set-handle.js";

export class DeviceQueue extends AnyThis implements QueueOfStore {
  readonly keeps: boolean;
  readonly #store;
  readonly #options;
  readonly #scope;
  readonly #state;
  readonly #drain;
  readonly #sender;
  readonly #handles;
  readonly #documents;
  readonly #conflicts;
  readonly #sets = new Map<string, SetHandle>();
  /** The revision of the queue of which sets were told last. */
  #told = -1;
  /** The kinds of reads that were refused because nobody is signed in. */
  readonly #refusedReads = new Set<string>();
  /** Whether changes were saved that no set has been compared with. */
  #hasSaved = false;
  /** Resolves when changes may be sent. */
  readonly #ready: Promise<void>;
  #isReady = false;
  readonly renewVectors = (state: SessionState): void => renewVectors(state, this.#drain.settled);
  readonly #persistence = new Persistence(() => this.#events.tell());
  readonly #events;
  readonly #assertUnsharded;

  constructor(store: StoreBase, options: OfflineOptions) {
    super();
    this.#store = store;
    this.#options = options;
    this.#events = new StatusEvents(store, options.user, () => this.status());
    this.keeps = !!options.documents;
    this.#scope = scopeOf(store, options.user);
    const state = new QueueState(this.#scope, options.user);
    this.#state = state;
    const requests = new QueueRequests(store);
    this.#assertUnsharded = firstContact(state, requests);
    this.#documents = keptDocuments(store, originOf(store), this.#scope, options);
    this.#drain = new Drain(state, requests, options.merge, this.#documents, {
      effects: (...reported) => this.#report(...reported),
      reached: () => this.#events.tell(),
    });
    this.#handles = changeHandles(state, this.#drain);
    this.#ready = this.#begin().catch(() => {});
    this.#sender = new Sender(store, state, this.#drain, {
      ready: this.#ready,
      name: `raven-edge-offline ${this.#scope}`,
      automatic: options.automatic !== false,
      status: () => this.status(),
      changed: (saved) => {
        this.#refresh().catch(() => {});
        this.#tellSets(saved);
        this.#sender.wake();
      },
      responded: () => {
        for (const set of this.#sets.values()) set.responded();
      },
      ended: () => {
        if (this.#hasSaved) this.#wakeSets();
        this.#hasSaved = false;
        this.#events.tell();
        this.#conflicts.tellAgain();
      },
    });
    this.#conflicts = conflictsOf(store, state, this.#drain, requests, this.#handles, () =>
      this.#sender.wake(),
    );
    store.once("beforeDispose", () => {
      this.#sender.stop();
      this.#events.stop();
    });
    this.#start().catch(() => {});
  }

  /** Reads the device, before anything is sent. */
  async #begin(): Promise<void> {
    const { core } = await this.#refresh();
    // This page may have other credentials than the one that was refused.
    if (core.paused() & PAUSE_AUTH) await this.#exchange(QUEUED_SIGNED_IN);
    // If the code of the app fails, changes are sent as they are.
    await upgradeChanges(this.#state, this.#drain, this.#options).catch((error) =>
      this.#store.emitLater("storage", { error }),
    );
  }

  async #start(): Promise<void> {
    this.#sender.wake();
    await this.#ready;
    this.#isReady = true;
    this.#events.tell();
    await this.#persistence.ask();
    for (const change of this.#state.inState(STATE_CONFLICT)) await this.#conflicts.tell(change);
  }

  async queue(session: SessionState, save: (keep: KeepBatch) => Promise<void>): Promise<QueuedChange> {
    if (this.#sender.isOver) fail("Disposed", "the store was disposed");
    await prepare(session);
    await this.#assertUnsharded();
    let change: QueuedChange | undefined;
    let written: Pending | undefined;
    let sent: CapturedBatch["commands"] = [];
    await save(async (sealed) => {
      const batch = capture(session, sealed);
      sent = batch.commands;
      try {
        const version = this.#options.version ?? 0;
        const add = () => addChange(this.#state, this.#scope, version, batch, this.#drain.settled);
        const record = await (this.#documents?.withRoom(add) ?? add());
        change = this.#handles.of(record);
        written = writtenBy(record, batch.texts);
      } catch (error) {
        // Without room on the device the batch is sent at once, if it can be.
        const isFull = error instanceof RavenEdgeError && error.code === "Storage";
        if (!isFull || isOffline()) throw error;
        this.#store.emitLater("storage", { error });
        return false;
      }
      forgetVersions(session, batch);
      return true;
    });
    if (!change) return this.#handles.saved(sent);
    this.#persistence.request();
    this.#sender.tell([]);
    // After a gap another tab has written, too.
    this.#tellSets([], this.#isNext() ? written : undefined);
    this.#events.tell();
    this.#sender.wake();
    return change;
  }

  get revision(): number {
    return this.#state.revision;
  }

  lay(...[ask, wanted, state, route, body, isFresh]: Parameters<QueueOfStore["lay"]>): Promise<LoadedBodies> {
    const read = { state, route, body, wanted, isFresh: !!isFresh };
    const [kind = ""] = route.split("?", 1);
    const asked = async () => {
      try {
        const response = await ask();
        this.#readEnded(kind);
        return response;
      } catch (error) {
        this.#readEnded(kind, error);
        throw error;
      }
    };
    return (
      this.#documents?.read(asked, read) ??
      layPending(this.#scope, asked, wanted, route.startsWith("queries"))
    );
  }

  #readEnded(kind: string, error?: unknown): void {
    if (readEnded(this.#refusedReads, kind, error)) this.#events.tell();
  }

  async beforeSave(body: string): Promise<((response: string) => void) | undefined> {
    await assertNonePending(this.#scope, body);
    const saved = await this.#documents?.saving(body);
    return (
      saved &&
      ((response) => {
        saved(response);
        this.#wakeSets();
      })
    );
  }

  onSignedIn(listener: () => void): () => void {
    return this.#events.onSignedIn(listener);
  }

  check(reading: OfflineReading): void {
    checkName("value of openSession({ offline }):", reading, ["fallback", "first", "only", "never"]);
    if (!this.#documents) noDocuments();
  }

  keptAt(state: SessionState, entity: object): Date | null {
    return keptAt(state, entity);
  }

  async prefetch(what: readonly string[] | NamedPages): Promise<void> {
    await (this.#documents ?? noDocuments()).prefetch(what);
  }

  async adopt<T extends object>(session: object, document: T): Promise<T> {
    if (!this.#documents) noDocuments();
    return (await adopt(this.#scope, session, document)) as object as T;
  }

  set(name: string): OfflineSet {
    const { sets = {}, user, automatic: isAutomatic = true } = this.#options;
    checkName("set", name, Object.keys(sets));
    const documents = this.#documents ?? noDocuments();
    const own = { store: this.#store, documents, scope: this.#scope, isAutomatic };
    const set =
      this.#sets.get(name) ??
      new SetHandle({ ...own, user, name, declaration: sets[name] as SetDeclaration })
        .on("error", (error) => this.#readEnded(`set ${name}`, error))
        .on("synced", () => this.#readEnded(`set ${name}`));
    this.#sets.set(name, set);
    return set;
  }

  /** The server has something new from this page. */
  #wakeSets(): void {
    for (const set of this.#sets.values()) set.wake();
  }

  /** What waits is other than before; `written`: what this page has just queued, and nothing else. */
  #tellSets(saved: SavedKeys, written?: Pending): void {
    this.#told = this.#state.revision;
    for (const set of this.#sets.values()) set.pendingChanged(saved, written);
  }

  /** Whether one transaction has written since sets were told. */
  #isNext(): boolean {
    return this.#told >= 0 && this.#state.revision === this.#told + 1;
  }

  status(): OfflineStatus {
    const facts = {
      ready: this.#isReady,
      online: this.#drain.isReached && !isOffline(),
      sending: this.#drain.underWay.size,
      persisted: this.#persistence.isGranted,
    };
    return statusOf(this.#state.memory, facts, this.#refusedReads.size > 0);
  }

  async changes(): Promise<QueuedChange[]> {
    const { changes } = await this.#refresh();
    return [...changes.values()].map((record) => this.#handles.of(record));
  }

  async conflicts(): Promise<ConflictEvent[]> {
    await this.#refresh();
    const events = this.#state.inState(STATE_CONFLICT).map((change) => this.#conflicts.event(change));
    return (await Promise.all(events)).filter((event) => event !== undefined);
  }

  async pending(): Promise<number> {
    return (await this.#refresh()).changes.size;
  }

  async flush({ timeout = 30_000 }: { timeout?: number } = {}): Promise<boolean> {
    if (this.#sender.isOver) fail("Disposed", "the store was disposed");
    return this.#sender.flush(timeout);
  }

  async pause(): Promise<void> {
    await this.#exchange(QUEUED_PAUSE);
  }

  async resume(): Promise<void> {
    await this.#exchange(QUEUED_RESUME);
    this.#sender.wake();
  }

  async retry(change?: QueuedChange | string): Promise<void> {
    await this.#refresh();
    const numbers =
      change === undefined
        ? [...this.#state.inState(STATE_PARKED), ...this.#state.inState(STATE_UNSURE)]
        : [this.#numberOf(change)];
    for (const number of numbers) await this.#exchange(QUEUED_RETRY, number);
    // What the app has paused stays so.
    const isPaused = (this.#state.memory?.core.paused() ?? 0) & PAUSE_AUTH;
    if (isPaused) await this.#exchange(QUEUED_SIGNED_IN);
    const hasRefused = this.#refusedReads.size > 0;
    this.#refusedReads.clear();
    if (isPaused || hasRefused) this.#events.signedIn();
    if (hasRefused) {
      this.#events.tell();
      this.#wakeSets();
    }
    this.#sender.wake();
  }

  async discard(change: QueuedChange | string): Promise<void> {
    await this.#refresh();
    await this.#exchange(QUEUED_DISCARD, this.#numberOf(change));
    this.#sender.wake();
  }

  async clear({ user = this.#options.user }: { user?: string } = {}): Promise<void> {
    const scope = scopeOf(this.#store, user);
    const isOwn = user === this.#options.user;
    // Nothing more is loaded for a user who signs out.
    if (isOwn) for (const set of this.#sets.values()) set.signOut();
    await this.#documents?.clear(scope);
    try {
      if (isOwn) return await this.#exchange(QUEUED_CLEAR);
      const [state, requests] = [new QueueState(scope, user), new QueueRequests(this.#store)];
      await new Drain(state, requests, undefined, undefined).exchange([{ words: [QUEUED_CLEAR] }]);
    } finally {
      for (const name of Object.keys(this.#options.sets ?? {})) tellSignedOut(scope, name);
      if (isOwn) for (const set of this.#sets.values()) set.tellState();
    }
  }

  async export(): Promise<string> {
    return exported(await this.#refresh(), this.#drain);
  }

  #numberOf(change: QueuedChange | string): number {
    return this.#handles.number(change) ?? fail("InvalidArgument", "there is no such change on this device");
  }

  async #exchange(...words: number[]): Promise<void> {
    await this.#drain.exchange([{ words }]);
  }

  /** Reads what other tabs have written. */
  async #refresh(): Promise<Memory> {
    await this.#state.refresh();
    this.#handles.settle();
    this.#events.tell();
    return this.#state.memory as Memory;
  }

  /** Reports effects that are on disk. */
  #report(effects: Effect[], saved: SavedKeys, areOther: boolean): void {
    for (const [code, a] of effects) {
      if (code === DEED_CONFLICT) this.#conflicts.tell(a);
      if (code === DEED_REGRESSION)
        this.#store.emitLater("regression", regressionEvent(a, this.#state.memory));
    }
    this.#handles.settle();
    this.#hasSaved ||= effects.some(([code]) => code === DEED_REMOVE);
    if (effects.some(([code]) => code === DEED_STORE || code === DEED_REMOVE)) this.#sender.tell(saved);
    if (areOther) this.#tellSets(saved);
    else if (this.#isNext()) this.#told++;
    this.#events.tell();
  }
}
