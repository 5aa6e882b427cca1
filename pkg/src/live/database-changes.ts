// The changes of a database, by the members of npm `ravendb`.

import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import { camel } from "../common/member-case.js";
import type { EntityConstructor } from "../documents/entity-types.js";
import { ChangesFeed } from "./changes-feed.js";
import { Emitter, Observable } from "./changes-observable.js";
import type { WatchCommand } from "./connection-state.js";
import type { LiveStore } from "./live-store.js";
import type {
  DocumentChange,
  IChangesObservable,
  IDatabaseChanges,
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

/** The kind of changes, the command, and the members of a change that must have the values of the arguments, by the names of these. */
type Watched = readonly [kind: Kind, what: string, members?: Readonly<Record<string, string>>];

/** What the methods watch that need no more than that. */
const WATCHED = {
  forDocument: ["Document", "doc", { docId: "id" }],
  forAllDocuments: ["Document", "docs"],
  forIndex: ["Index", "index", { indexName: "name" }],
  forAllIndexes: ["Index", "indexes"],
  forAllOperations: ["OperationStatus", "operations"],
  forAllCounters: ["Counter", "counters"],
  forCounter: ["Counter", "counter", { counterName: "name" }],
  forCounterOfDocument: ["Counter", "document-counter", { documentId: "documentId", counterName: "name" }],
  forCountersOfDocument: ["Counter", "document-counters", { documentId: "documentId" }],
  forAllTimeSeries: ["TimeSeries", "all-timeseries"],
  forTimeSeries: ["TimeSeries", "timeseries", { timeSeriesName: "name" }],
} satisfies Record<string, Watched>;

// The static block of the class adds these methods to its prototype.
export interface DatabaseChanges extends Pick<IDatabaseChanges, keyof typeof WATCHED> {}

export class DatabaseChanges
  extends Emitter<"connectionStatus" | "error" | "resync">
  implements IDatabaseChanges
{
  #store: LiveStore;
  #feed: ChangesFeed;
  #watches = new Map<string, Users>();
  #onDispose: () => void;
  #end = () => this.dispose();

  static {
    for (const [method, [kind, what, members = {}]] of Object.entries<Watched>(WATCHED)) {
      const names = Object.keys(members);
      const made = {
        [method](this: DatabaseChanges, ...given: string[]) {
          const params = Object.fromEntries(names.map((name, at) => [name, given[at]]));
          return this.#for(kind, what, params, Object.values(members));
        },
      };
      Object.assign(DatabaseChanges.prototype, made);
    }
  }

  constructor(store: LiveStore, tag: string | undefined, onDispose: () => void) {
    super("connectionStatus", "error", "resync");
    assertSockets(store);
    this.#store = store;
    this.#onDispose = onDispose;
    this.#feed = new ChangesFeed(store, tag, {
      status: () => this.emit("connectionStatus"),
      failed: (error) => {
        this.emit("error", error);
        for (const observable of this.#observables()) observable.emit("error", error);
      },
      confirmed: (watch, gap) => {
        for (const observable of this.#watches.get(watch)?.users ?? []) {
          observable.emit("subscribed");
          if (gap) observable.emit("resync");
        }
      },
      resync: () => this.emit("resync"),
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

  forDocumentsStartingWith(docIdPrefix: string): IChangesObservable<DocumentChange> {
    return this.#for("Document", "prefix", { docIdPrefix }, [], ({ id }) =>
      idKey(String(id)).startsWith(idKey(docIdPrefix)),
    );
  }

  forDocumentsInCollection<T extends object>(
    given: string | EntityConstructor<T>,
  ): IChangesObservable<DocumentChange> {
    const collectionName =
      typeof given === "string" ? given : this.#store.conventions.getCollectionNameForType(given);
    return this.#for("Document", "collection", { collectionName }, ["collectionName"]);
  }

  forOperationId(operationId: number): IChangesObservable<OperationStatusChange> {
    return this.#for("OperationStatus", "operation", { operationId: String(operationId) }, ["operationId"]);
  }

  forTimeSeriesOfDocument(documentId: string, timeSeriesName?: string): IChangesObservable<TimeSeriesChange> {
    return timeSeriesName
      ? this.#for("TimeSeries", "document-timeseries", { documentId, timeSeriesName }, ["documentId", "name"])
      : this.#for("TimeSeries", "all-document-timeseries", { documentId }, ["documentId"]);
  }

  dispose(): void {
    this.#onDispose();
    this.#store.events.off("beforeDispose", this.#end);
    const wasConnected = this.connected;
    this.#feed.dispose();
    if (!wasConnected) this.emit("connectionStatus");
    for (const observable of this.#observables()) observable.clear();
    this.#watches.clear();
    this.clear();
  }

  /**
   * `given`: texts by the names of their arguments; one is sent as such, two as a list. `members`: of a change that is reported, with the
   * values of these texts. They are compared as RavenDB compares them: in any case.
   */
  #for<T>(
    kind: Kind,
    what: string,
    given: Record<string, string | undefined>,
    members: string[],
    accepts: (value: Value) => boolean = () => true,
  ): IChangesObservable<T> {
    const params = Object.entries(given).map(([name, value]) => named(name, value));
    const keys = params.map(idKey);
    const name = [what, ...keys].join("\n");
    const [param = null, second] = params;
    const command: WatchCommand = {
      watch: `watch-${what}`,
      unwatch: `unwatch-${what}`,
      ...(second === undefined ? { param } : { param: null, params }),
    };
    return new Observable({
      accepts: (value) =>
        members.every((member, at) => idKey(String(value[member])) === keys[at]) && accepts(value),
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
}

/** A name that is sent to the server. */
function named(what: string, value: string | undefined): string {
  if (typeof value !== "string" || !value.trim()) fail("InvalidArgument", `${what}: must not be empty`);
  return value;
}
