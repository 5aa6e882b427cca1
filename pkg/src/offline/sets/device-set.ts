// A set that this page follows: when it runs, what it tells, which documents it shows. Loaded with the first call of `store.offline.set`.

import { RavenEdgeError } from "../../common/error.js";
import type { ServerDocument } from "../../documents/entity-types.js";
import { META } from "../../documents/snapshots/snapshot-values.js";
import { startCore } from "../device/queue-core.js";
import { inTransaction } from "../device/queue-database.js";
import { identityOf } from "../documents/adopt.js";
import type { SavedKeys } from "../documents/seen-documents.js";
import type { OfflineSet } from "../offline-types.js";
import type { Pending } from "../pending-documents.js";
import { wakeUps } from "../sending/wake-ups.js";
import { ChangedDocuments } from "./changed-documents.js";
import { type Documents, isNothing, laid, pendingOfSet } from "./pending-of-set.js";
import { type Changed, followChanges, type SetChanges } from "./set-changes.js";
import { channelOf, SIGNED_OUT } from "./set-channel.js";
import type { DeviceSetOptions, SetOwner } from "./set-handle.js";
import { readKept, readPending, readSet } from "./set-reader.js";
import { declaredAs, type SetRecord, setIn } from "./set-records.js";
import { SetRequests } from "./set-requests.js";
import { type Ending, SetRun } from "./set-run.js";
import type { ChangedKeys, RunOptions } from "./set-transactions.js";
import type { KnownSums } from "./sums.js";

/** Bytes of a set without the option `maxBytes`. */
const MAX_BYTES = 100 * 1_024 * 1_024;

/** Most documents that are loaded by their ids instead of a comparison. */
const BY_IDS = 100;

/** How often a run begins anew because the database was replaced meanwhile. */
const RENEWALS = 3;

export class DeviceSet {
  readonly #options;
  readonly #owner;
  readonly #declared;
  readonly #requests;
  readonly #wakeUps;
  progress: OfflineSet["progress"];
  #record: SetRecord | undefined;
  #changes: SetChanges | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #known: KnownSums | undefined;
  #failures = 0;
  /** Whether a response to another request has ended a pause since the last run that succeeded. */
  #hasHurried = false;
  error: RavenEdgeError | undefined;
  #isSignedOut = false;
  /** Why nothing is compared any more. */
  #end: RavenEdgeError | undefined;
  /** What the device kept for this user when this page began to follow the set. */
  #begun: { generation: string; incarnation: string | undefined } | undefined;
  readonly #pendingChanged;

  constructor(options: DeviceSetOptions, owner: SetOwner) {
    const { store, documents, scope, name, declaration } = options;
    this.#options = options;
    this.#owner = owner;
    this.#declared = declaredAs(declaration);
    this.#requests = new SetRequests(options);
    this.#wakeUps = wakeUps(channelOf(scope, name), {
      back: () => {
        this.#hasHurried = false;
        this.wake();
      },
      due: () => this.wake(),
      changed: (message) => this.#heard(message as ChangedKeys | typeof SIGNED_OUT),
    });
    store.once("beforeDispose", () => this.stop(new RavenEdgeError("Disposed", "the store was disposed")));
    const opened = documents.opened.then(() => this.#readRecord());
    this.#pendingChanged = pendingOfSet(opened, declaration.collection, {
      kept: (keys) => readKept(options, this.#declared, keys),
      pending: () => readPending(options),
      isHeard: () => !this.#end && owner.hears(),
      tell: (changes, documents) => this.#tellOf(changes, documents),
      failed: (error) => owner.tell("error", error),
    });
    this.#follow();
  }

  get syncedAt(): Date | null {
    const { syncedAt } = this.#record ?? {};
    return syncedAt === undefined ? null : new Date(syncedAt);
  }

  get isComplete(): boolean {
    return this.#record?.isComplete === true;
  }

  /** The user has signed out: nothing more is loaded, and nothing is shown as complete. */
  signOut(): RavenEdgeError {
    this.#isSignedOut = true;
    this.#record = undefined;
    const text = `the user of the set ${this.#options.name} has signed out`;
    this.error = new RavenEdgeError("InvalidOperation", text);
    this.stop(this.error);
    this.#owner.stateChanged();
    return this.error;
  }

  /** Ends what this page does for the set. */
  stop(reason: RavenEdgeError): void {
    this.#end ??= reason;
    this.#wakeUps.stop();
    this.#changes?.stop();
  }

  /** Compares at once, unless the app does that itself. */
  wake(): void {
    if (!this.#end && this.#options.isAutomatic) this.sync().catch(() => {});
  }

  /** The server has responded to another request: a run that has failed is tried again at once, once until one succeeds. */
  responded(): void {
    if (this.#failures === 0 || this.#hasHurried || this.#running) return;
    this.#hasHurried = true;
    this.wake();
  }

  /** Follows the changes of the collection. */
  #follow(): void {
    const { store, isAutomatic, declaration } = this.#options;
    const { live, collection } = declaration;
    if (!live || !isAutomatic || collection === undefined) return;
    const due = (changed: Changed | undefined) => {
      // A page that nobody sees compares when it is seen.
      if (globalThis.document?.visibilityState === "hidden") return;
      if (changed && this.#takesByIds(changed)) this.#start(() => this.#load(changed)).catch(() => {});
      else this.wake();
    };
    const refused = (error: RavenEdgeError) => this.#owner.tell("error", error);
    try {
      this.#changes = followChanges(store, collection, due, refused);
    } catch (error) {
      refused(error as RavenEdgeError);
    }
  }

  /** Whether what has changed can be loaded, without a comparison: the ids say that it belongs to the set. */
  #takesByIds({ size }: Changed): boolean {
    const { named } = this.#options.declaration;
    // After an error, changes of before may not have been loaded.
    const isFree = !this.error && !this.#running && !this.#end;
    return named === undefined && size <= BY_IDS && this.isComplete && isFree;
  }

  sync(): Promise<void> {
    if (this.#end) return Promise.reject(this.#end);
    if (!this.#running) return this.#start();
    // The caller may know of changes that the run under way does not see.
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.#running ?? this.#start();
      });
    return this.#next;
  }

  /** `work`: of the run, default a comparison. */
  #start(work = () => this.#sync()): Promise<void> {
    const running = work()
      .catch((error) => this.#failed(error as RavenEdgeError))
      .finally(() => {
        if (this.#running === running) this.#running = undefined;
      });
    this.#running = running;
    return running;
  }

  #failed(error: RavenEdgeError): never {
    this.error = error;
    this.#owner.stateChanged();
    // Without a connection there is nothing to report: `error` says it.
    if (!error.outage) this.#owner.tell("error", error);
    // Nobody, or somebody else, is signed in: the page says when to try again.
    if (error.code !== "Unauthorized") this.#again();
    throw error;
  }

  /** Tries again after a pause. */
  #again(): void {
    if (!this.#end && this.#options.isAutomatic) this.#wakeUps.later(++this.#failures);
  }

  async #sync(): Promise<void> {
    let ending: Ending = "void";
    await this.#alone(async () => {
      for (let turn = 0; turn < RENEWALS && ending === "void"; turn++) {
        await this.#assertOwn();
        ending = await this.#with(SetRun, (comparison) => comparison.run());
      }
    });
    await this.#readRecord();
    const { name } = this.#options;
    if (ending === "void")
      throw new RavenEdgeError("Storage", `what is kept of the set ${name} is removed time and again`);
    this.error = undefined;
    this.#owner.stateChanged();
    // The index is stale, or documents change all the time.
    if (ending === "open") this.#again();
    else {
      this.#failures = 0;
      this.#hasHurried = false;
    }
    const nothing: ChangedKeys = { added: [], changed: [], removed: [] };
    this.#wakeUps.tell(nothing);
    if (ending !== "open") this.#owner.tell("synced", { syncedAt: this.syncedAt });
    if (ending !== "lags") return;
    const text = `the server is older than the set ${name} on this device: does a node lag behind?`;
    this.#owner.tell("error", new RavenEdgeError("Server", text));
  }

  /** Loads what others have changed. */
  async #load(changed: Changed): Promise<void> {
    let isEnough = false;
    await this.#alone(async () => {
      await this.#assertOwn();
      isEnough = await this.#with(ChangedDocuments, (documents) => documents.load(changed));
    });
    await this.#readRecord();
    if (!isEnough) this.wake();
  }

  /** Does `work` while no other tab does. Its duration decides how long this page waits before the next one. */
  async #alone(work: () => Promise<void>): Promise<void> {
    await this.#options.documents.opened;
    await this.#wakeUps.alone(async () => {
      await startCore();
      const isFirst = this.syncedAt === null;
      const began = performance.now();
      let isOutage = false;
      try {
        await work();
      } catch (error) {
        isOutage = (error as RavenEdgeError).outage === true;
        throw error;
      } finally {
        // The first load, and waiting for a connection, say nothing of what a comparison costs the server.
        if (!isFirst && !isOutage) this.#changes?.compared(performance.now() - began);
      }
    });
  }

  /** A run, whose sums the next one uses. */
  async #with<Run extends { known: KnownSums | undefined }, Result>(
    Run: new (options: RunOptions) => Run,
    work: (run: Run) => Promise<Result>,
  ): Promise<Result> {
    const { documents, scope, name, declaration } = this.#options;
    const run = new Run({
      device: documents.device,
      requests: this.#requests,
      scope,
      name,
      collection: declaration.collection,
      declared: this.#declared,
      limit: declaration.maxBytes ?? MAX_BYTES,
      known: this.#known,
      progress: (loaded, total) => {
        this.progress = { loaded, total };
        this.#owner.stateChanged();
      },
      changed: (changes) => {
        if (!isNothing(changes)) this.#wakeUps.tell(changes);
        this.#tell(changes);
      },
    });
    try {
      return await work(run);
    } finally {
      this.#known = run.known;
      this.progress = undefined;
      this.#owner.stateChanged();
    }
  }

  /** Throws if this user has signed out, or another one has signed in, since this page began to follow the set. */
  async #assertOwn(): Promise<void> {
    const { documents, name } = this.#options;
    const { device } = documents;
    await device.refresh();
    const { begun, incarnation } = device;
    if (!begun) {
      this.stop(
        new RavenEdgeError(
          "Storage",
          `the set ${name} cannot be kept: this device keeps nothing for its user`,
        ),
      );
      throw this.#end;
    }
    const { generation } = begun;
    const known = this.#begun;
    if (known && known.generation !== generation && (known.incarnation ?? incarnation) === incarnation) {
      throw this.signOut();
    }
    this.#begun = { generation, incarnation };
  }

  /** Another tab has written, or the user has signed out there. */
  #heard(changes: ChangedKeys | typeof SIGNED_OUT): void {
    if (changes === SIGNED_OUT) {
      this.#owner.tell("error", this.signOut());
      return;
    }
    const before = this.#record?.syncedAt;
    this.#readRecord()
      .then(() => {
        this.#tell(changes);
        if (this.#record?.syncedAt !== before) this.#owner.tell("synced", { syncedAt: this.syncedAt });
      })
      .catch(() => {});
  }

  /** Reads the set's record. */
  async #readRecord(): Promise<void> {
    const { documents, scope, name } = this.#options;
    const record = await inTransaction(["sets"], "readonly", (stores) => setIn(stores, scope, name));
    const isOwn = !this.#isSignedOut && record?.declared === this.#declared;
    this.#record = isOwn ? record : undefined;
    const { begun, incarnation } = documents.device;
    if (begun?.generation === this.#begun?.generation && this.#begun) this.#begun.incarnation ??= incarnation;
    this.#owner.stateChanged();
    if (this.#record?.syncedAt !== undefined) this.#owner.ready();
  }

  /** Notifies listeners with documents. */
  #tell(changes: ChangedKeys): void {
    if (isNothing(changes) || !this.#owner.hears()) return;
    const { collection } = this.#options.declaration;
    const keys = new Set([...changes.added, ...changes.changed]);
    this.#read(keys)
      .then(([kept, pending]) => this.#tellOf(changes, laid(kept, pending, collection, keys)))
      .catch((error) => this.#owner.tell("error", error));
  }

  #tellOf({ added, changed, removed }: ChangedKeys, documents: Documents): void {
    const of = (keys: string[]) =>
      this.#shown(keys.map((key) => documents.get(key)).filter((each) => each !== undefined));
    this.#owner.tell("change", { added: of(added), changed: of(changed), removed });
  }

  /** Documents as the app gets them: with their ids, where its conventions show them. */
  #shown(documents: ServerDocument[]): ServerDocument[] {
    const { conventions } = this.#options.store;
    for (const document of documents) {
      const identity = identityOf(conventions, document);
      // A frozen one of the app's `upgrade` stays as it is.
      if (identity) Reflect.set(document, identity, document[META]["@id"]);
    }
    return documents;
  }

  /** A tab has queued changes, or they were saved, merged or given up; `written`, `isTaken`: see {@link pendingOfSet}. */
  pendingChanged(saved: SavedKeys, written: Pending | undefined, isTaken: boolean): void {
    if (!this.#end) this.#pendingChanged(saved, written, isTaken);
  }

  async documents<T extends object>(): Promise<T[]> {
    const [kept, pending] = await this.#read();
    const documents = laid(kept, pending, this.#options.declaration.collection);
    return this.#shown([...documents.values()]) as object[] as T[];
  }

  #read(keys?: ReadonlySet<string>): Promise<[kept: Documents, pending: Pending]> {
    return readSet(this.#options, this.#declared, keys);
  }
}
