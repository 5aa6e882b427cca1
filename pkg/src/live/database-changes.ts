// The changes of a database, by the members of npm `ravendb`.

import { AnyThis } from "../common/any-this.js";
import { checkName } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import { camel } from "../common/member-case.js";
import type { EntityConstructor } from "../documents/entity-types.js";
import { ChangesFeed } from "./changes-feed.js";
import { callListener, Observable } from "./changes-observable.js";
import type { WatchCommand } from "./connection-state.js";
import type { LiveStore } from "./live-store.js";
import type {
  CounterChange,
  DocumentChange,
  IChangesObservable,
  IDatabaseChanges,
  IndexChange,
  OperationStatusChange,
  TimeSeriesChange,
} from "./live-types.js";
import { assertSockets } from "./web-socket.js";

type Value = Record<string, unknown>;
type Kind = "Document" | "Index" | "OperationStatus" | "Counter" | "TimeSeries";

/** The observables of a watch. All share it; it ends with the last one that has listeners. */
interface Users {
  kind: Kind;
  users: Set<Observable>;
}

const EVENTS = ["connectionStatus", "error", "resync"] as const;
type Event = (typeof EVENTS)[number];

/** Members whose texts are compared as RavenDB compares them: in any case. */
type Wanted = Partial<Record<"id" | "collectionName" | "name" | "documentId", string>>;

export class DatabaseChanges extends AnyThis implements IDatabaseChanges {
  #store: LiveStore;
  #feed: ChangesFeed;
  #watches = new Map<string, Users>();
  #handlers: Record<Event, Set<(error: never) => void>> = {
    connectionStatus: new Set(),
    error: new Set(),
    resync: new Set(),
  };
  #onDispose: () => void;
  #end = () => this.dispose();

  constructor(store: LiveStore, tag: string | undefined, onDispose: () => void) {
    super();
    assertSockets(store);
    this.#store = store;
    this.#onDispose = onDispose;
    this.#feed = new ChangesFeed(store, tag, {
      status: () => this.#emit("connectionStatus"),
      failed: (error) => {
        this.#emit("error", error);
        for (const observable of this.#observables()) observable.emit("error", error);
      },
      confirmed: (watch, gap) => {
        for (const observable of this.#watches.get(watch)?.users ?? []) {
          observable.emit("subscribed");
          if (gap) observable.emit("resync");
        }
      },
      resync: () => this.#emit("resync"),
      changed: (type, value) => this.#changed(type, value),
    });
    store.events.on("beforeDispose", this.#end);
  }

  get connected(): boolean {
    return this.#feed.connected;
  }

  get lastConnectionStateException(): Error | null {
    return this.#feed.lastError;
  }

  async ensureConnectedNow(): Promise<this> {
    await this.#feed.ready();
    return this;
  }

  on(event: Event, handler: (error: never) => void): this {
    checkName("event", event, EVENTS);
    this.#handlers[event].add(handler);
    return this;
  }

  off(event: Event, handler: (error: never) => void): this {
    checkName("event", event, EVENTS);
    this.#handlers[event].delete(handler);
    return this;
  }

  forDocument(docId: string): IChangesObservable<DocumentChange> {
    return this.#for("Document", "doc", [named("docId", docId)], { id: docId });
  }

  forAllDocuments(): IChangesObservable<DocumentChange> {
    return this.#for("Document", "docs");
  }

  forDocumentsStartingWith(docIdPrefix: string): IChangesObservable<DocumentChange> {
    const begin = idKey(named("docIdPrefix", docIdPrefix));
    return this.#for("Document", "prefix", [docIdPrefix], {}, ({ id }) =>
      idKey(String(id)).startsWith(begin),
    );
  }

  forDocumentsInCollection<T extends object>(
    given: string | EntityConstructor<T>,
  ): IChangesObservable<DocumentChange> {
    const name = typeof given === "string" ? given : this.#store.conventions.getCollectionNameForType(given);
    return this.#for("Document", "collection", [named("collectionName", name)], { collectionName: name });
  }

  forIndex(indexName: string): IChangesObservable<IndexChange> {
    return this.#for("Index", "index", [named("indexName", indexName)], { name: indexName });
  }

  forAllIndexes(): IChangesObservable<IndexChange> {
    return this.#for("Index", "indexes");
  }

  forOperationId(operationId: number): IChangesObservable<OperationStatusChange> {
    const id = named("operationId", String(operationId));
    return this.#for(
      "OperationStatus",
      "operation",
      [id],
      {},
      ({ operationId }) => String(operationId) === id,
    );
  }

  forAllOperations(): IChangesObservable<OperationStatusChange> {
    return this.#for("OperationStatus", "operations");
  }

  forAllCounters(): IChangesObservable<CounterChange> {
    return this.#for("Counter", "counters");
  }

  forCounter(counterName: string): IChangesObservable<CounterChange> {
    return this.#for("Counter", "counter", [named("counterName", counterName)], { name: counterName });
  }

  forCounterOfDocument(documentId: string, counterName: string): IChangesObservable<CounterChange> {
    const params = [named("documentId", documentId), named("counterName", counterName)];
    return this.#for("Counter", "document-counter", params, { documentId, name: counterName });
  }

  forCountersOfDocument(documentId: string): IChangesObservable<CounterChange> {
    return this.#for("Counter", "document-counters", [named("documentId", documentId)], { documentId });
  }

  forAllTimeSeries(): IChangesObservable<TimeSeriesChange> {
    return this.#for("TimeSeries", "all-timeseries");
  }

  forTimeSeries(timeSeriesName: string): IChangesObservable<TimeSeriesChange> {
    return this.#for("TimeSeries", "timeseries", [named("timeSeriesName", timeSeriesName)], {
      name: timeSeriesName,
    });
  }

  forTimeSeriesOfDocument(documentId: string, timeSeriesName?: string): IChangesObservable<TimeSeriesChange> {
    const id = named("documentId", documentId);
    if (!timeSeriesName) return this.#for("TimeSeries", "all-document-timeseries", [id], { documentId });
    const params = [id, named("timeSeriesName", timeSeriesName)];
    return this.#for("TimeSeries", "document-timeseries", params, { documentId, name: timeSeriesName });
  }

  dispose(): void {
    this.#onDispose();
    this.#store.events.off("beforeDispose", this.#end);
    const wasConnected = this.connected;
    this.#feed.dispose();
    if (!wasConnected) this.#emit("connectionStatus");
    for (const observable of this.#observables()) observable.clear();
    this.#watches.clear();
    for (const handlers of Object.values(this.#handlers)) handlers.clear();
  }

  /** `params`: one is sent as such, two as a list. `wanted`: the members, and their values, that a change must have to be reported. */
  #for<T>(
    kind: Kind,
    what: string,
    params: string[] = [],
    wanted: Wanted = {},
    accepts: (value: Value) => boolean = () => true,
  ): IChangesObservable<T> {
    const name = [what, ...params.map(idKey)].join("\n");
    const [param = null, second] = params;
    const command: WatchCommand = {
      watch: `watch-${what}`,
      unwatch: `unwatch-${what}`,
      ...(second === undefined ? { param } : { param: null, params }),
    };
    const keys = Object.entries(wanted).map(([member, text]) => [member, idKey(text)] as const);
    return new Observable({
      accepts: (value) =>
        keys.every(([member, key]) => idKey(String(value[member])) === key) && accepts(value),
      need: (observable) => {
        const watch = this.#watches.get(name) ?? { kind, users: new Set() };
        this.#watches.set(name, watch);
        watch.users.add(observable);
        this.#feed.watch(name, command);
      },
      leave: (observable) => {
        const users = this.#watches.get(name)?.users;
        if (!users?.delete(observable) || users.size > 0) return;
        this.#watches.delete(name);
        this.#feed.unwatch(name);
      },
      ready: () => this.#feed.ready(name),
    }) as IChangesObservable<T>;
  }

  #changed(type: string, given: Value): void {
    const kind = type.replace(/Change$/, "");
    const value = camel(given) as Value;
    if (kind === "TimeSeries")
      for (const bound of ["from", "to"]) value[bound] &&= new Date(value[bound] as string);
    for (const watch of [...this.#watches.values()])
      if (watch.kind === kind) for (const observable of [...watch.users]) observable.deliver(value);
  }

  #observables(): Observable[] {
    return [...this.#watches.values()].flatMap(({ users }) => [...users]);
  }

  #emit(event: Event, error?: Error): void {
    for (const handler of [...this.#handlers[event]]) callListener(handler, error);
  }
}

/** A name that is sent to the server. */
function named(what: string, value: string): string {
  if (typeof value !== "string" || !value.trim()) fail("InvalidArgument", `${what}: must not be empty`);
  return value;
}
