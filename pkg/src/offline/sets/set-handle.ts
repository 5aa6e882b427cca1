// What `store.offline.set(name)` gives: an object that is there at once, and loads the code of sets.

import { AnyThis } from "../../common/any-this.js";
import { checkName } from "../../common/arguments.js";
import type { RavenEdgeError } from "../../common/error.js";
import type { ServerDocument } from "../../documents/entity-types.js";
import { loadPart, provideLoaders } from "../../runtime/load-part.js";
import type { StoreBase } from "../../store/store.js";
import type { KeptDocuments } from "../documents/kept-documents.js";
import type { SavedKeys } from "../documents/seen-documents.js";
import type { OfflineSet, SetChange, SetDeclaration, SetEvents } from "../offline-types.js";
import { shown } from "../overlay.js";
import type { Pending } from "../pending-documents.js";
import type { DeviceSet } from "./device-set.js";

/** What the app has of the set. */
export interface SetOwner {
  /** The set has been complete. */
  ready(): void;
  tell(event: "change" | "synced" | "error", detail: object): void;
  /** `isComplete`, `syncedAt`, `progress` or `error` may be another one. */
  stateChanged(): void;
  /** Whether the app listens to changes. */
  hears(): boolean;
}

export interface DeviceSetOptions {
  store: StoreBase;
  documents: KeptDocuments;
  user: string;
  /** Server, database and user. */
  scope: string;
  name: string;
  declaration: SetDeclaration;
  isAutomatic: boolean;
}

/** What a change that this page has queued has made of its documents, by the keys of ids; `null`: deleted. */
export type QueuedDocuments = ReadonlyMap<string, { document: ServerDocument | null; collection: string }>;

/** Shows these documents; returns whether it did. Called when they are on disk, before anything is read that is newer. */
export type TakeQueued = (documents: QueuedDocuments) => boolean;

const EVENTS: readonly (keyof SetEvents)[] = ["change", "synced", "error", "state"];

export class SetHandle extends AnyThis implements OfflineSet {
  readonly #options;
  readonly #listeners = new Map<string, Set<(detail: never) => void>>(
    EVENTS.map((event) => [event, new Set()]),
  );
  readonly #takers = new WeakMap<object, TakeQueued>();
  readonly ready: Promise<void>;
  #makeReady: () => void = () => {};
  #loading: Promise<DeviceSet> | undefined;
  #set: DeviceSet | undefined;
  #loadError: RavenEdgeError | undefined;
  #isSignedOut = false;

  constructor(options: DeviceSetOptions) {
    super();
    this.#options = options;
    this.ready = new Promise((resolve) => {
      this.#makeReady = resolve;
    });
    this.wake();
  }

  /** The code of sets; after a failure the next call tries again. */
  #load(): Promise<DeviceSet> {
    this.#loading ??= this.#loadNow().catch((error) => {
      this.#loading = undefined;
      // Told once: a listener that asks for documents tries again.
      const isFirst = !this.#loadError;
      this.#loadError = error as RavenEdgeError;
      if (isFirst) {
        this.#tell("error", error as object);
        this.tellState();
      }
      throw error;
    });
    return this.#loading;
  }

  async #loadNow(): Promise<DeviceSet> {
    provideLoaders({ sets: () => import("./device-set.js") });
    const { DeviceSet } = await loadPart("sets");
    this.#loadError = undefined;
    this.#set = new DeviceSet(this.#options, {
      ready: () => this.#makeReady(),
      tell: (event, detail) => this.#tell(event, detail),
      stateChanged: () => this.tellState(),
      hears: () => !!this.#listeners.get("change")?.size,
    });
    if (this.#isSignedOut) this.#set.signOut();
    return this.#set;
  }

  get syncedAt(): Date | null {
    return this.#set?.syncedAt ?? null;
  }

  get isComplete(): boolean {
    return this.#set?.isComplete === true;
  }

  get progress(): OfflineSet["progress"] {
    return this.#set?.progress;
  }

  get error(): RavenEdgeError | undefined {
    return this.#loadError ?? this.#set?.error;
  }

  on<Name extends keyof SetEvents>(event: Name, listener: (detail: SetEvents[Name]) => void): this {
    checkName("event of sets", event, EVENTS);
    this.#listeners.get(event)?.add(listener);
    return this;
  }

  off<Name extends keyof SetEvents>(event: Name, listener: (detail: SetEvents[Name]) => void): this {
    this.#listeners.get(event)?.delete(listener);
    return this;
  }

  async documents<T extends object>(): Promise<T[]> {
    return (await this.#load()).documents();
  }

  async sync(): Promise<void> {
    await (await this.#load()).sync();
  }

  /** As `on("change")`, for a listener of which `take` may show by itself what this page has just queued. */
  onTaken(listener: (change: SetChange) => void, take: TakeQueued): void {
    this.on("change", listener);
    this.#takers.set(listener, take);
  }

  /** Changes that wait on this device are others than before; `written`: as this page has just queued them, and no others. */
  pendingChanged(saved: SavedKeys, written: Pending | undefined): void {
    const takers = [...(this.#listeners.get("change") ?? [])].map((listener) => this.#takers.get(listener));
    let isTaken = false;
    if (this.#set && written && takers.some(Boolean)) {
      const documents: QueuedDocuments = new Map(
        [...written].map(([key, change]) => [
          key,
          { document: shown(change), collection: change.collection },
        ]),
      );
      isTaken = takers.map((take) => take?.(documents)).every(Boolean);
    }
    this.#set?.pendingChanged(saved, written, isTaken);
  }

  /** The server has responded to a request of the store. */
  responded(): void {
    this.#set?.responded();
  }

  /** Compares soon, unless the app does that itself. */
  wake(): void {
    this.#load().then(
      (set) => set.wake(),
      () => {},
    );
  }

  /** The user signs out: nothing more is loaded, and nothing is shown as complete. */
  signOut(): void {
    this.#isSignedOut = true;
    this.#set?.signOut();
  }

  tellState(): void {
    const { isComplete, syncedAt, progress, error } = this;
    this.#tell("state", { isComplete, syncedAt, progress, error });
  }

  /** In microtasks: exceptions of listeners are the app's. */
  #tell(event: string, detail: object): void {
    for (const listener of this.#listeners.get(event) ?? []) queueMicrotask(() => listener(detail as never));
  }
}
