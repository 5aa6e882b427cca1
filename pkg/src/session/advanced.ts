// What a session can do besides its daily work: `session.advanced`. Names and behaviour are those of npm `ravendb`.

import type { AttachmentsSessionOperations } from "../attachments/attachment-types.js";
import type { IClusterTransactionOperations } from "../cluster/cluster-transaction-types.js";
import { isObject, isText } from "../common/arguments.js";
import { type ErrorCode, fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import type { ISessionDocumentCounters } from "../counters/counter-types.js";
import { allChanges, changesAt } from "../documents/changed-documents.js";
import type { EntityInfo, IMetadataDictionary } from "../documents/entity-types.js";
import { listed } from "../documents/listed-names.js";
import { dateOf } from "../documents/mapping/date-format.js";
import { entityToJson } from "../documents/mapping/entity-mapper.js";
import { metadata, revisionMetadata } from "../documents/metadata.js";
import { explained } from "../documents/unserializable.js";
import { executeAllPending, Lazily } from "../loading/lazy-operations.js";
import type { EagerSessionOperations } from "../loading/lazy-types.js";
import type { IRevisionsSessionOperations } from "../revisions/revision-types.js";
import { loadPart, type Parts } from "../runtime/load-part.js";
import { capabilityOf, isChange } from "../runtime/stand-in.js";
import type { ICommandData } from "../saving/batch-commands.js";
import type { DocumentConventions } from "../store/conventions.js";
import type { RequestExecutor } from "../store/store-types.js";
import { Session } from "./session.js";
import type { SessionEvents } from "./session-events.js";
import type {
  EntityToJson,
  IndexBatchOptions,
  OptimisticConcurrencyMode,
  ReplicationBatchOptions,
  ServerNode,
  SessionInfo,
  SessionOptions,
  TransactionMode,
} from "./session-options.js";
import { SessionState } from "./session-state.js";
import type { SessionStore } from "./session-store.js";

/** The part with rarely used functions, which is loaded on first use. */
type RarelyUsed = Parts["session"];

/** The parameters of a function after the state of the session. */
type Given<Name extends keyof RarelyUsed> = RarelyUsed[Name] extends (
  state: SessionState,
  ...given: infer Rest
) => unknown
  ? Rest
  : never;
/** The result of such a function. */
type Result<Name extends keyof RarelyUsed> = RarelyUsed[Name] extends (...given: never[]) => infer Made
  ? Promise<Awaited<Made>>
  : never;

type Listener<Name extends keyof SessionEvents> = (event: SessionEvents[Name]) => void;

export class Advanced extends Session {
  externalState = new Map<string, unknown>();

  #state;

  constructor(state: SessionState) {
    super(state);
    this.#state = state;
  }

  get numberOfRequests(): number {
    return this.#state.requests;
  }

  get maxNumberOfRequestsPerSession(): number {
    return this.#state.maxRequests;
  }

  set maxNumberOfRequestsPerSession(count: number) {
    this.#state.maxRequests = count;
  }

  get useOptimisticConcurrency(): boolean {
    return this.#state.optimistic;
  }

  set useOptimisticConcurrency(on: boolean) {
    this.#state.optimistic = on;
  }

  get optimisticConcurrencyMode(): OptimisticConcurrencyMode {
    return this.#state.concurrency;
  }

  set optimisticConcurrencyMode(mode: OptimisticConcurrencyMode) {
    this.#state.concurrency = mode;
  }

  get transactionMode(): TransactionMode {
    return this.#state.cluster ? "ClusterWide" : "SingleNode";
  }

  set transactionMode(mode: TransactionMode) {
    this.#state.transactionMode = mode;
  }

  setTransactionMode(mode: TransactionMode): void {
    this.transactionMode = mode;
  }

  get documentStore(): SessionStore {
    return this.#state.store;
  }

  get requestExecutor(): RequestExecutor {
    return this.getRequestExecutor();
  }

  getRequestExecutor(): RequestExecutor {
    return this.#state.store.getRequestExecutor();
  }

  on<Name extends keyof SessionEvents>(name: Name, listener: Listener<Name>): this {
    this.#state.events.on(name, listener);
    return this;
  }

  once<Name extends keyof SessionEvents>(name: Name, listener: Listener<Name>): this {
    this.#state.events.once(name, listener);
    return this;
  }

  off<Name extends keyof SessionEvents>(name: Name, listener: Listener<Name>): this {
    this.#state.events.off(name, listener);
    return this;
  }

  removeListener<Name extends keyof SessionEvents>(name: Name, listener: Listener<Name>): this {
    return this.off(name, listener);
  }

  emit<Name extends keyof SessionEvents>(name: Name, detail: SessionEvents[Name]): boolean {
    const { events } = this.#state;
    const hasListener = events.has(name);
    events.emit(name, detail);
    return hasListener;
  }

  get conventions(): DocumentConventions {
    return this.#state.conventions;
  }

  get storeIdentifier(): string {
    const { store } = this.#state;
    return `${store.identifier};${store.database}`;
  }

  get sessionInfo(): SessionInfo {
    return {
      incrementRequestCount: () => this.#state.count(),
      getCurrentSessionNode: () => this.getCurrentSessionNode(),
    };
  }

  getCurrentSessionNode(): Promise<ServerNode> {
    return this.#apart("getCurrentSessionNode");
  }

  get entityToJson(): EntityToJson {
    return entityToJson(this.#state);
  }

  getDocumentId(entity: object): string | null {
    return isObject(entity)
      ? (revisionMetadata(entity)?.["@id"] ?? this.#state.unitOfWork.idOf(entity))
      : null;
  }

  getChangeVectorFor(entity: object): string | null {
    const revision = revisionMetadata(entity);
    return (
      (revision ? revision["@change-vector"] : this.#state.unitOfWork.versions.vector(this.#slot(entity))) ||
      null
    );
  }

  getMetadataFor(entity: object): IMetadataDictionary {
    const { unitOfWork } = this.#state;
    return revisionMetadata(entity) ?? metadata(unitOfWork, this.#slot(entity, "InvalidOperation"));
  }

  getLastModifiedFor(entity: object): Date | null {
    const revision = revisionMetadata(entity);
    const text = revision
      ? revision["@last-modified"]
      : this.#state.unitOfWork.versions.modified(this.#slot(entity));
    return text ? dateOf(text) : null;
  }

  getKeptAt(entity: object): Date | null {
    return this.#state.store.offline?.keptAt(this.#state, entity) ?? null;
  }

  #slot(entity: unknown, code: ErrorCode = "InvalidArgument"): number {
    if (!isObject(entity)) fail(code, "this takes an entity of the session");
    return this.#state.slot(entity);
  }

  hasChanges(): boolean {
    const { unitOfWork } = this.#state;
    return unitOfWork.deferred.some(isChange) || explained(unitOfWork, () => unitOfWork.hasChanges());
  }

  hasChanged(entity: object): boolean {
    const slot = this.#state.unitOfWork.slotOf(entity);
    return slot >= 0 && explained(this.#state.unitOfWork, () => this.#state.unitOfWork.isChanged(slot));
  }

  whatChanged(): ReturnType<typeof allChanges> {
    return explained(this.#state.unitOfWork, () => allChanges(this.#state.unitOfWork));
  }

  whatChangedFor(entity: object): ReturnType<typeof changesAt> {
    const { unitOfWork } = this.#state;
    const slot = unitOfWork.slotOf(entity);
    return slot >= 0 ? explained(unitOfWork, () => changesAt(unitOfWork, slot)) : [];
  }

  isLoaded(id: string): boolean {
    return this.#state.unitOfWork.knows(id ?? "");
  }

  async exists(id: string): Promise<boolean> {
    const state = this.#state;
    if (!isText(id)) fail("InvalidArgument", "exists takes an id");
    if (state.unitOfWork.isAbsent(idKey(id))) return false;
    if (state.unitOfWork.slot(id) >= 0) return true;
    return this.#apart("exists", id);
  }

  evict(entity: object): void {
    const state = this.#state;
    const slot = state.unitOfWork.slotOf(entity);
    if (slot >= 0) state.unitOfWork.evicted(slot);
  }

  clear(): void {
    this.#state.clear();
  }

  ignoreChangesFor(entity: object): void {
    this.#state.unitOfWork.storedNever(this.#slot(entity));
  }

  getTrackedEntities(): Map<string, EntityInfo> {
    const { unitOfWork } = this.#state;
    const tracked = new ById();
    for (const slot of unitOfWork.slots()) {
      const id = unitOfWork.idAt(slot);
      if (id) tracked.set(id, { id, entity: unitOfWork.at(slot), isDeleted: unitOfWork.isAbsent(idKey(id)) });
    }
    // The ids that the session knows to be absent.
    for (const id of unitOfWork.absentIds)
      if (unitOfWork.slot(id) < 0) tracked.set(id, { id, entity: undefined, isDeleted: true });
    return tracked;
  }

  defer(...commands: ICommandData[]): void {
    for (const command of commands) this.#state.unitOfWork.storedCommand(command);
  }

  waitForReplicationAfterSaveChanges(options?: ReplicationBatchOptions): void {
    this.#state.saveOptions.replication = { ...options };
  }

  waitForIndexesAfterSaveChanges(options?: IndexBatchOptions): void {
    this.#state.saveOptions.indexes = { ...options };
  }

  refresh(entities: object | object[]): Promise<void> {
    return this.#apart("refresh", [entities].flat(), Array.isArray(entities));
  }

  loadStartingWith(...given: Given<"loadStartingWith">): Result<"loadStartingWith"> {
    return this.#apart("loadStartingWith", ...given);
  }

  conditionalLoad(...given: Given<"conditionalLoad">): Result<"conditionalLoad"> {
    return this.#apart("conditionalLoad", ...given);
  }

  loadIntoStream(...given: Given<"loadIntoStream">): Result<"loadIntoStream"> {
    return this.#apart("loadIntoStream", ...given);
  }

  loadStartingWithIntoStream(
    ...given: Given<"loadStartingWithIntoStream">
  ): Result<"loadStartingWithIntoStream"> {
    return this.#apart("loadStartingWithIntoStream", ...given);
  }

  /** Calls a function that is rarely used, and loaded then. */
  #apart<Name extends keyof RarelyUsed>(name: Name, ...given: Given<Name>): Result<Name> {
    return this.#state.inOrder(
      async () =>
        ((await loadPart("session"))[name] as (...given: unknown[]) => unknown)(this.#state, ...given),
      name,
    ) as Result<Name>;
  }

  // Members whose code is loaded when they are first used: `capabilities/session-part.ts` says how.

  get attachments(): AttachmentsSessionOperations {
    return capabilityOf(this.#state, "attachments");
  }

  get revisions(): IRevisionsSessionOperations {
    return capabilityOf(this.#state, "revisions");
  }

  get clusterTransaction(): IClusterTransactionOperations {
    return capabilityOf(this.#state, "cluster");
  }

  countersFor(entityOrId: string | object): ISessionDocumentCounters {
    return capabilityOf(this.#state, "counters", entityOrId);
  }

  getCountersFor(entity: object): string[] | null {
    return (listed(this.#state, entity, "@counters") as string[] | undefined) ?? null;
  }

  timeSeriesFor(...given: unknown[]): never {
    return capabilityOf(this.#state, "timeSeries", "timeSeriesFor", ...given);
  }

  timeSeriesRollupFor(...given: unknown[]): never {
    return capabilityOf(this.#state, "timeSeries", "timeSeriesRollupFor", ...given);
  }

  incrementalTimeSeriesFor(...given: unknown[]): never {
    return capabilityOf(this.#state, "timeSeries", "incrementalTimeSeriesFor", ...given);
  }

  getTimeSeriesFor(entity: object): string[] {
    return (listed(this.#state, entity, "@timeseries", "InvalidArgument") as string[] | undefined) ?? [];
  }

  get lazily(): Lazily {
    return new Lazily(this.#state);
  }

  get eagerly(): EagerSessionOperations {
    return { executeAllPendingLazyOperations: () => executeAllPending(this.#state) };
  }
}

export class DocumentSession extends Advanced {
  constructor(store: SessionStore, options: SessionOptions) {
    super(new SessionState(store, options));
  }
}

/** A map by ids, which ignores their case. */
class ById extends Map<string, EntityInfo> {
  override get(id: string): EntityInfo | undefined {
    return super.get(id) ?? [...this.values()].find((info) => idKey(info.id) === idKey(id));
  }

  override has(id: string): boolean {
    return this.get(id) !== undefined;
  }
}
