// What the objects of parts can do before their code is loaded: one table for each. Names have spaces between them.

import type { AttachmentsSessionOperations } from "../attachments/attachment-types.js";
import type {
  BulkInsertOperation,
  IAttachmentsBulkInsert,
  ICountersBulkInsert,
  ITimeSeriesBulkInsert,
} from "../bulk-insert/bulk-insert-types.js";
import type { IClusterTransactionOperations } from "../cluster/cluster-transaction-types.js";
import type { ISessionDocumentCounters } from "../counters/counter-types.js";
import type { IChangesObservable, IDatabaseChanges } from "../live/live-types.js";
import type { IRevisionsSessionOperations } from "../revisions/revision-types.js";
import type { DocumentStore } from "../store/store-types.js";
import type { DocumentSubscriptions, SubscriptionWorker } from "../subscriptions/subscription-types.js";
import type {
  ISessionDocumentIncrementalTimeSeries,
  ISessionDocumentTimeSeries,
} from "../time-series/operations/time-series-types.js";
import type { TimeSeriesOperations } from "../time-series/store-types.js";

/**
 * The methods of an object by what they give before its code is loaded. `read`: promises; `command`: nothing; `chain`: their object; `refused`:
 * `false`, for they do nothing yet; `made`: what the next save creates; another table's name: an object with that table. Members that are
 * no methods are `undefined` until the code is there.
 */
export type Tables = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** In sessions. */
export const OF_SESSIONS = {
  attachments: { read: "exists get getRange getRevision", command: "copy delete move rename store" },
  cluster: {
    read: "getCompareExchangeValue getCompareExchangeValues",
    command: "deleteCompareExchangeValue",
    made: "createCompareExchangeValue",
  },
  counters: { read: "get getAll", command: "delete discard increment" },
  revisions: { read: "get getFor getMetadataFor getCountFor", command: "forceRevisionCreationFor" },
  timeSeries: { read: "get", command: "append delete deleteAt discard increment" },
} as const satisfies Tables;

/** Of their members `lazily`. */
export const LAZILY = {
  cluster: "getCompareExchangeValue getCompareExchangeValues",
  revisions: "get getFor getMetadataFor",
} as const;

/** Of stores. */
export const OF_STORES = {
  attachments: { read: "store" },
  bulkInsert: {
    read: "abort finish store",
    chain: "on off",
    refused: "tryStoreSync",
    attachments: "attachmentsFor",
    counters: "countersFor",
    series: "timeSeriesFor",
  },
  counters: { read: "increment" },
  hilo: { read: "generateDocumentId generateNextIdFor returnUnusedRange" },
  series: { read: "append", command: "dispose" },
  subscriptions: {
    read: "create createForRevisions delete disable dropConnection dropSubscriptionWorker enable getSubscriptionState getSubscriptions update",
    command: "dispose",
    worker: "getSubscriptionWorker getSubscriptionWorkerForRevisions",
  },
  timeSeries: { read: "register removePolicy setPolicy setRawPolicy", timeSeries: "forDatabase" },
  worker: { read: "getWorkerId", command: "dispose", chain: "on off removeListener" },
} as const satisfies Tables;

/** `store.changes()`. */
export const LIVE = {
  changes: {
    read: "ensureConnectedNow",
    command: "dispose",
    chain: "on off",
    observable:
      "forAllCounters forAllDocuments forAllIndexes forAllOperations forAllTimeSeries forCounter forCounterOfDocument forCountersOfDocument forDocument forDocumentsInCollection forDocumentsStartingWith forIndex forOperationId forTimeSeries forTimeSeriesOfDocument",
  },
  observable: { read: "ensureSubscribedNow", chain: "on off removeListener" },
} as const satisfies Tables;

// What follows compiles only if each table has the members of its interface, each under its kind.

type Method = (...given: never[]) => unknown;

type Words<Text> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/** What a method gives. */
type Kind = "read" | "command" | "chain" | "refused";

/** The names in a table by their kind. */
type Listed<Given> = {
  [Each in Kind]: Given extends { readonly [Key in Each]: infer Text } ? Words<Text> : never;
} & { other: Words<Given[Exclude<keyof Given, Kind>]> };

type None = ReturnType<() => void>;

/** The kind of a method of `Made`. */
type KindOf<Made, Member> = Member extends (...given: never[]) => infer Result
  ? Result extends PromiseLike<unknown>
    ? "read"
    : Result extends Made
      ? "chain"
      : Result extends boolean
        ? "refused"
        : [Result] extends [None]
          ? "command"
          : "other"
  : never;

/** The names of the methods of `Made` that are of a kind. */
type Named<Made, Wanted> = {
  [Name in keyof Made]: KindOf<Made, Made[Name]> extends Wanted
    ? Made[Name] extends Method
      ? Name
      : never
    : never;
}[keyof Made];

/** The names that only one of two has: `never` if they are the same. */
type Difference<One, Other> = Exclude<One, Other> | Exclude<Other, One>;

/** What is wrong with a table: `never`, if nothing is. `Apart`: names that it need not have, or has under another kind. */
type Wrong<Given, Made, Apart = never> = {
  [Where in keyof Listed<Given>]: Exclude<Difference<Listed<Given>[Where], Named<Made, Where>>, Apart>;
}[keyof Listed<Given>];

type Sessions = typeof OF_SESSIONS;
type Stores = typeof OF_STORES;
type Live = typeof LIVE;

type Nothing<Found extends never> = Found;

export type Checked = Nothing<
  // Needs no code: `attachmentNames`.
  | Wrong<Sessions["attachments"], AttachmentsSessionOperations, "getNames">
  | Wrong<Sessions["cluster"], IClusterTransactionOperations>
  | Difference<Words<(typeof LAZILY)["cluster"]>, keyof IClusterTransactionOperations["lazily"]>
  | Wrong<Sessions["counters"], ISessionDocumentCounters>
  | Wrong<Sessions["revisions"], IRevisionsSessionOperations>
  | Difference<Words<(typeof LAZILY)["revisions"]>, keyof IRevisionsSessionOperations["lazily"]>
  | Wrong<Sessions["timeSeries"], ISessionDocumentTimeSeries & ISessionDocumentIncrementalTimeSeries>
  | Wrong<Stores["attachments"], IAttachmentsBulkInsert>
  | Wrong<Stores["bulkInsert"], BulkInsertOperation>
  | Wrong<Stores["counters"], ICountersBulkInsert>
  | Wrong<Stores["hilo"], DocumentStore["hiLoIdGenerator"]>
  | Wrong<Stores["series"], ITimeSeriesBulkInsert>
  | Wrong<Stores["subscriptions"], DocumentSubscriptions>
  // Gives its own kind, of another database.
  | Wrong<Stores["timeSeries"], TimeSeriesOperations, "forDatabase">
  // A text, which only the worker itself has.
  | Wrong<Stores["worker"], SubscriptionWorker<object>, "getWorkerId">
  | Wrong<Live["changes"], IDatabaseChanges>
  | Wrong<Live["observable"], IChangesObservable<unknown>>
>;
