// `store.bulkInsert()`: what the app calls becomes commands.

import { AnyThis } from "../common/any-this.js";
import { checkNames, isObject, withoutNulls } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { Events } from "../common/event-listeners.js";
import type { Entity, EntityConstructor } from "../documents/entity-types.js";
import type { StoreBase } from "../store/store.js";
import type {
  BulkInsertOnProgressEventArgs,
  BulkInsertOptions,
  BulkInsertProgress,
  IAttachmentsBulkInsert,
  ICountersBulkInsert,
  BulkInsertOperation as PublicOperation,
} from "./bulk-insert-types.js";
import { CommandFeed } from "./command-feed.js";
import { DocumentTexts, type Kind, type Metadata } from "./document-text.js";
import { InsertedIds, misused } from "./ids.js";
import { attachmentsOf, countersOf, SeriesOf, TypedSeriesOf } from "./parts-of-documents.js";

const DONE = Promise.resolve();

type Listener = (event: BulkInsertOnProgressEventArgs) => void;

export class BulkInsertOperation extends AnyThis implements PublicOperation {
  #store;
  #feed;
  #texts;
  #ids: InsertedIds;
  #kinds = new Map<unknown, Kind>();
  #events = new Events<{ progress: BulkInsertOnProgressEventArgs }>(undefined, ["progress"]);
  #isReporting = false;
  /** Whether a call that stores is under way, and what `finish` waits for. */
  #isBusy = false;
  #whenIdle: (() => void) | undefined;
  /** The time series that is not disposed of. */
  #series: object | undefined;

  constructor(store: StoreBase, options: BulkInsertOptions) {
    super();
    this.#store = store;
    this.#texts = new DocumentTexts(store.conventions);
    this.#ids = new InsertedIds(store);
    this.#feed = new CommandFeed(store, false, !!options.skipOverwriteIfUnchanged);
    this.useCompression = !!options.useCompression;
  }

  get useCompression(): boolean {
    return this.#feed.isZipped;
  }

  set useCompression(on: boolean) {
    if (on && typeof CompressionStream !== "function")
      fail("Unsupported", "useCompression needs CompressionStream, which this platform does not have");
    this.#feed.isZipped = on;
  }

  tryStoreSync(entity: object, id: string, metadata?: Metadata): boolean {
    const feed = this.#feed;
    if (this.#isBusy || !feed.isOpen || feed.isFull) return false;
    this.assertNoSeries();
    const kind = this.#kindOf(entity);
    if (kind) this.#add(id, this.#texts.text(entity as Entity, kind, metadata));
    return kind !== undefined;
  }

  store(entity: object, idOrMetadata?: unknown, given?: Metadata): Promise<void> {
    return this.run(() => {
      const metadata = given ?? (isObject(idOrMetadata) ? idOrMetadata : undefined);
      const named = typeof idOrMetadata === "string" ? idOrMetadata : metadata?.["@id"];
      this.assertNoSeries();
      const kind = this.#kindOf(entity);
      if (kind) return this.#put(entity as Entity, kind, named, metadata);
      const loading = this.#store.conventions.load(entity);
      return loading.then((loaded) => this.#put(entity as Entity, loaded, named, metadata));
    });
  }

  #put(entity: Entity, kind: Kind, named: unknown, metadata: Metadata | undefined): void | Promise<void> {
    // Before the id: a document that JSON cannot express takes no number.
    const text = this.#texts.text(entity, kind, metadata);
    if (named) return this.#add(named, text);
    const id = this.#ids.of(entity, kind);
    if (typeof id !== "string") return id.then((made) => this.#addAndShow(entity, made, text));
    this.#addAndShow(entity, id, text);
  }

  #addAndShow(entity: Entity, id: string, text: string): void {
    this.#add(id, text);
    this.#ids.showId(entity, id);
  }

  #add(id: unknown, text: string): void {
    const quoted = this.#ids.text(id);
    this.#feed.add(`{"Id":${quoted},"Type":"PUT","Document":${text}}`, id as string);
  }

  /** Runs a call that stores; resolves when there is room for the next one. */
  run(add: (feed: CommandFeed) => void | Promise<void>): Promise<void> {
    if (this.#isBusy)
      return Promise.reject(misused("Bulk Insert store methods cannot be executed concurrently."));
    const feed = this.#feed;
    this.#isBusy = true;
    try {
      const rest = feed.isOpen ? add(feed) : this.#begin().then(() => add(feed));
      // Also if there is room: whether the next call comes too early must not depend on that.
      return rest || feed.isFull ? this.#complete(rest) : DONE.then(this.#leave);
    } catch (error) {
      this.#leave();
      return Promise.reject(error);
    }
  }

  async #complete(rest: void | Promise<void>): Promise<void> {
    try {
      await rest;
      if (this.#feed.isFull) await this.#feed.flush();
    } finally {
      this.#leave();
    }
  }

  #leave = (): void => {
    this.#isBusy = false;
    this.#whenIdle?.();
  };

  async #begin(): Promise<void> {
    await this.#feed.begin();
    this.#report();
  }

  /** Collection and class of an entity; `undefined`: the names of classes have to be loaded first. */
  #kindOf(entity: object): Kind | undefined {
    if (!isObject(entity)) fail("InvalidArgument", "bulk insert: an entity is an object");
    const { conventions } = this.#store;
    const { constructor: type, "@metadata": own } = entity as Entity;
    const known = !own && this.#kinds.get(type);
    if (known) return known;
    const kind = conventions.describe(entity);
    if (kind && !own && type !== Object && !conventions.hasLiterals) this.#kinds.set(type, kind);
    return kind;
  }

  attachmentsFor(id: string): IAttachmentsBulkInsert {
    return attachmentsOf(this, id);
  }

  countersFor(id: string): ICountersBulkInsert {
    return countersOf(this, id);
  }

  timeSeriesFor(...given: [unknown, string, string?]): SeriesOf {
    const { conventions } = this.#store;
    const most = conventions.bulkInsert.timeSeriesBatchSize;
    const [first, second, third] = given;
    this.assertNoSeries();
    const series =
      typeof first === "function"
        ? new TypedSeriesOf(this, first as EntityConstructor, second, third, conventions, most)
        : new SeriesOf(this, first as string, second, most);
    this.#series = series;
    return series;
  }

  assertNoSeries(): void {
    if (this.#series)
      throw misused("There is an already running time series operation, did you forget to close it?");
  }

  assertSeries(series: object): void {
    if (this.#series !== series) throw misused("the time series was disposed of: begin another one");
  }

  endSeries(series: object): void {
    if (this.#series === series) this.#series = undefined;
  }

  on(event: "progress", listener: Listener): this {
    this.#events.on(event, listener);
    this.#report();
    return this;
  }

  off(event: "progress", listener: Listener): this {
    this.#events.off(event, listener);
    return this;
  }

  #report(): void {
    if (this.#isReporting || !this.#feed.isOpen || !this.#events.has("progress")) return;
    this.#isReporting = true;
    reportProgress(this.#feed, (progress) => this.#events.emit("progress", { progress }));
  }

  abort(): Promise<void> {
    return this.#feed.abort();
  }

  async finish(): Promise<void> {
    this.assertNoSeries();
    if (this.#isBusy)
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    await this.#feed.end();
  }
}

/** Milliseconds between two reads: the pause doubles from the first value to the last. */
const FIRST_PAUSE = 25;
const LAST_PAUSE = 500;

/** Calls `report` whenever the server has stored more, until the insert ends. */
export async function reportProgress(
  feed: CommandFeed,
  report: (progress: BulkInsertProgress) => void,
): Promise<void> {
  let last = 0;
  for (let pause = FIRST_PAUSE; feed.isUnderWay; pause = Math.min(pause * 2, LAST_PAUSE)) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    const { operation, stored } = feed.progress;
    const state = await operation?.state().catch(() => undefined);
    const total = stored.count + (state?.progress?.total ?? 0);
    if (total === last || !feed.isUnderWay) continue;
    last = total;
    report({
      batchCount: 0,
      documentsProcessed: stored.count,
      attachmentsProcessed: 0,
      countersProcessed: 0,
      timeSeriesProcessed: 0,
      ...state?.progress,
      total,
      lastProcessedId: state?.progress?.lastProcessedId ?? (stored.lastId as string),
    });
  }
}

export function ofStore(
  store: StoreBase,
  database: string | BulkInsertOptions | null | undefined,
  options: BulkInsertOptions | null | undefined,
): BulkInsertOperation {
  const isNamed = typeof database === "string";
  const target = isNamed ? store.of(database) : store;
  target.assertOpen();
  target.assertDatabase();
  const given = withoutNulls(isNamed ? options : database);
  checkNames("bulk insert option", given, ["useCompression", "skipOverwriteIfUnchanged"]);
  return new BulkInsertOperation(target, given);
}
