// Documents on the device: kept after they came, and shown where the server does not respond.

import {
  CONNECTION_DOWN,
  CONNECTION_SILENT,
  CONNECTION_SLOW,
  CONNECTION_UNKNOWN,
  DEVICE_KEPT,
  DEVICE_MISSING,
  DEVICE_UNREAD,
  READING_FALLBACK,
  READING_FIRST,
  READING_NEVER,
  READING_ONLY,
  SHOW_ASK,
  SHOW_KEPT,
  SHOW_KEPT_AND_ASK,
  SHOW_LOOK,
} from "../../../gen/protocol.js";
import { RavenEdgeError } from "../../common/error.js";
import { within } from "../../common/time.js";
import type { LoadedBodies } from "../../loading/request-documents.js";
import type { OfflineReading } from "../../session/session-options.js";
import type { SessionState } from "../../session/session-state.js";
import type { StoreBase } from "../../store/store.js";
import { showKept, startCore } from "../device/queue-core.js";
import { inTransaction, KEPT, type Stores } from "../device/queue-database.js";
import type { DocumentsOptions, NamedPages, OfflineOptions } from "../offline-types.js";
import { layPending } from "../pending-documents.js";
import { type Begun, KeptDevice, type Sealed } from "./kept-device.js";
import {
  type AnsweringSet,
  type KeptAnswer,
  type KeptReader,
  keptReader,
  type Missing,
} from "./kept-reader.js";
import { type UpgradeKept, upgradeKept } from "./kept-records.js";
import {
  fromDevice,
  fromServer,
  isOutage,
  ownQuery,
  prefetch,
  type Requested,
  requestedBy,
  type Seen,
  sentParameters,
  unreachable,
  valuesText,
} from "./requested.js";
import { type Settle, seenInResponse, seenInSave, settledIn, settling } from "./seen-documents.js";

const READINGS: Record<OfflineReading, number> = {
  fallback: READING_FALLBACK,
  first: READING_FIRST,
  only: READING_ONLY,
  never: READING_NEVER,
};

/** The default of the option `patience`, in milliseconds. */
const PATIENCE = 3_000;
/** Bytes that are kept without the option `maxBytes`. */
const MAX_BYTES = 50 * 1_024 * 1_024;

/** A read of a session. */
export interface SessionRead {
  state: SessionState;
  route: string;
  body: string | undefined;
  wanted: string[] | undefined;
  /** Whether only what the server has now will do. */
  isFresh: boolean;
}

/** The documents of a store; `undefined` without the option `documents`: then what was kept for its database is removed. */
export function keptDocuments(
  store: StoreBase,
  origin: string,
  scope: string,
  options: OfflineOptions,
): KeptDocuments | undefined {
  const { documents } = options;
  if (documents) return new KeptDocuments(store, origin, scope, { ...options, documents });
  new KeptDevice(origin, scope, 0).open().catch(() => {});
  return undefined;
}

export class KeptDocuments {
  readonly #store;
  /** Server and database. */
  readonly origin;
  /** Server, database and user. */
  readonly #scope;
  readonly #options;
  readonly device;
  readonly upgrade: UpgradeKept | undefined;
  /** Resolves when what is kept of another user is removed; never rejects. */
  readonly opened: Promise<void>;
  /** What is to be written, one after the other; never rejects. */
  #last: Promise<void>;
  /** Whether a request had no response in time, and none has come since. */
  #isSilent = false;
  /** Why the last write has failed; `undefined`: it has not. */
  #failure: RavenEdgeError | undefined;

  constructor(
    store: StoreBase,
    origin: string,
    scope: string,
    options: OfflineOptions & { documents: DocumentsOptions },
  ) {
    const { documents, sets = {}, version } = options;
    this.#store = store;
    this.origin = origin;
    this.#scope = scope;
    this.#options = options;
    this.upgrade = upgradeKept(options);
    this.device = new KeptDevice(origin, scope, documents.maxBytes ?? MAX_BYTES, version);
    this.opened = this.#try(async () => {
      await this.device.open();
      await this.device.dropSets(Object.keys(sets));
    });
    this.#last = this.opened;
    store.on("succeedRequest", ({ database, response }) => {
      if (database !== store.database) return;
      this.#isSilent = false;
      const incarnation = response.headers.get("Database-Cluster-Tx-Id");
      if (!incarnation) return;
      this.device.told = incarnation;
      this.#later(() => this.device.heard(incarnation));
    });
  }

  /** Answers a read, from the server or from the device; `ask` asks the server. */
  async read(ask: () => Promise<LoadedBodies>, read: SessionRead): Promise<LoadedBodies> {
    const { state } = read;
    const requested = requestedBy(this.#store.definitions?.names, read.route, read.body, read.wanted);
    const request = () => this.#request(ask, requested, read);
    if (read.isFresh) return request();
    const reading = READINGS[state.reads ?? "fallback"];
    const parts = requested.filter((part) => part !== undefined);
    let device: number = parts.length === requested.length ? DEVICE_UNREAD : DEVICE_MISSING;
    let connection: number = this.#isSilent ? CONNECTION_SILENT : CONNECTION_UNKNOWN;
    let kept: KeptAnswer | Missing = { missing: "this" };
    let asked: Promise<LoadedBodies> | undefined;
    let failure: unknown;
    await startCore();
    for (;;) {
      const next = showKept(reading, connection, device);
      if (next === SHOW_LOOK) {
        kept = await this.#kept(parts);
        device = "missing" in kept ? DEVICE_MISSING : DEVICE_KEPT;
      } else if (next === SHOW_KEPT || next === SHOW_KEPT_AND_ASK) {
        if (next === SHOW_KEPT_AND_ASK) request().catch(() => {});
        return this.#shown(kept as KeptAnswer, state);
      } else if (next === SHOW_ASK) {
        asked ??= request();
        try {
          const isPatient = device === DEVICE_MISSING || reading === READING_NEVER;
          const response = await (isPatient ? asked : within(this.#options.patience ?? PATIENCE, asked));
          if (response) return response;
          connection = CONNECTION_SLOW;
          this.#isSilent = true;
          // It goes on: what it brings is kept.
          asked.catch(() => {});
        } catch (error) {
          if (!isOutage(error)) throw error;
          failure = error;
          connection = CONNECTION_DOWN;
        }
      } else throw unreachable(kept, failure, reading !== READING_NEVER && parts.length > 0);
    }
  }

  /** Asks the server; what it says is kept afterwards. */
  async #request(
    ask: () => Promise<LoadedBodies>,
    requested: readonly (Requested | undefined)[],
    { state, route, wanted }: SessionRead,
  ): Promise<LoadedBodies> {
    const { collections } = this.#options.documents;
    const isQuery = requested.some((each) => each?.name !== undefined && each.isQuery);
    let begun: Begun;
    const asked = async () => {
      await this.opened;
      // What any tab has saved until now is among the results, if they are not stale.
      if (isQuery) await this.device.refresh().catch(() => {});
      begun = this.device.begun;
      const began = begun;
      const response = await ask();
      const { text } = response;
      // Pending changes that are laid over the response change its numbers.
      const numbers = new Map(response.numbers);
      this.#keep(() => seenInResponse(requested, route, { bodies: [], numbers, text }, collections), began);
      return response;
    };
    const laid = await layPending(this.#scope, asked, wanted, isQuery);
    const clock = isQuery ? begun?.clock : undefined;
    const response =
      clock === undefined
        ? laid
        : await this.#read((reader) => reader.withNew(laid, requested, clock)).catch(() => laid);
    fromServer(state, response);
    return response;
  }

  #read<Result>(work: (reader: KeptReader) => Promise<Result>): Promise<Result> {
    return inTransaction(["changes", "texts", ...KEPT], "readonly", (stores) =>
      work(keptReader(stores, this.origin, this.#scope, this.upgrade)),
    );
  }

  async #kept(requested: Requested[]): Promise<KeptAnswer | Missing> {
    await this.#last;
    try {
      if (!this.device.isUsable) throw this.#failure;
      const sets = await Promise.all(requested.map((each) => this.#setOf(each)));
      return await this.#read((reader) => reader.answer(requested, sets));
    } catch (error) {
      // A mistake of the app: `upgrade` fails.
      if ((error as Partial<RavenEdgeError>)?.code === "InvalidOperation") throw error;
      return { missing: "what is asked for" };
    }
  }

  /** The set that is declared as this query. */
  async #setOf({ first }: Requested): Promise<AnsweringSet | undefined> {
    for (const [name, declaration] of Object.entries((first && this.#options.sets) ?? {})) {
      const { named, parameters } = declaration;
      if (!first || named !== first.named) continue;
      try {
        // As runs of the set ask.
        const own = await ownQuery(this.#store, named, parameters);
        if (valuesText(own ? own.values : sentParameters(parameters)) === first.values)
          return { name, declaration, take: first.take };
      } catch {
        // A query that cannot be asked: the set has nothing.
      }
    }
    return undefined;
  }

  #shown({ bodies, numbers, times, used }: KeptAnswer, state: SessionState): LoadedBodies {
    fromDevice(state, times);
    if (used.length > 0) this.#later(() => this.device.touch(used));
    return { bodies, numbers };
  }

  /** A save begins; returns what is to be called with its response. */
  async saving(body: string): Promise<(response: string) => void> {
    await this.opened;
    const { begun } = this.device;
    return (response) =>
      this.#keep(() => seenInSave(body, response, this.#options.documents.collections), begun);
  }

  /** The app is shown versions of these documents that are not kept. */
  changed(ids: readonly string[]): void {
    this.#keep(() => ({ documents: [], unknown: [...ids] }), this.device.begun);
  }

  /** A batch of the queue is about to be sealed: resolves when the responses that this page has heard are kept; never rejects. */
  sealing(): Promise<void> {
    return this.#last;
  }

  /** A batch is sealed in this transaction: what all tabs have kept until now is older than what it saves. */
  async sealedIn(stores: Stores): Promise<Sealed> {
    await settledIn(stores);
    return this.device.sealedIn(stores);
  }

  /** What settles the changes of a batch; `sealed`: when it was. */
  settling(sealed: Sealed): Settle {
    const { collections } = this.#options.documents;
    return settling(this.device, sealed, collections, (ids) => this.#refresh(ids));
  }

  /** Loads documents for a time without a connection. */
  async prefetch(what: readonly string[] | NamedPages): Promise<void> {
    this.#store.assertOpen();
    await this.opened;
    if (!this.device.begun)
      throw this.#failure ?? new RavenEdgeError("Storage", "documents cannot be kept on this device");
    await this.device.refresh();
    await prefetch(this.#store, what);
    await this.#last;
    if (this.#failure) throw this.#failure;
  }

  /** Removes what is kept for a user, in all tabs. */
  async clear(scope: string): Promise<void> {
    await this.opened;
    const cleared = this.#last.then(() => this.device.clear(scope));
    this.#last = cleared.catch(() => {});
    await cleared;
  }

  /** Does something of the queue; if the device is full, what is kept makes room for it. */
  async withRoom<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if ((error as RavenEdgeError).code !== "Storage") throw error;
      this.#later(() => this.device.evict(0));
      await this.#last;
      return work();
    }
  }

  /** Reads documents again whose newest version is not known. */
  #refresh(ids: readonly string[]): void {
    const refresh = async () => {
      await this.device.refresh();
      await prefetch(this.#store, ids);
    };
    refresh().catch(() => {});
  }

  /** Keeps what `read` finds in a response, which has been given to its reader. */
  #keep(read: () => Seen, begun: Begun): void {
    const turn = this.device.nextTurn();
    this.#later(async () => {
      const lost = await this.device.keep(read(), begun, turn);
      if (this.device.begun) this.#failure = undefined;
      if (lost.length > 0) this.#refresh(lost);
    });
  }

  /** Does something after what was to be done before, and after what waits for a response now. */
  #later(work: () => Promise<unknown>): void {
    const turn = new Promise((resolve) => setTimeout(resolve));
    this.#last = Promise.all([this.#last, turn]).then(() => this.#try(work));
  }

  async #try(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // What is kept would grow too old.
      const isFirst = this.#failure === undefined;
      this.#failure = error instanceof RavenEdgeError ? error : undefined;
      if (isFirst && this.#failure) this.#store.emitLater("storage", { error: this.#failure });
    }
  }
}
