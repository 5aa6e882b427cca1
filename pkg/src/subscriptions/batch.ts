// A batch of documents, as the app gets it.

import { AnyThis } from "../common/any-this.js";
import { fail } from "../common/error.js";
import { include as includeCounters } from "../counters/counter-cache.js";
import type {
  Entity,
  IMetadataDictionary,
  ObjectTypeDescriptor,
  ServerDocument,
} from "../documents/entity-types.js";
import { nameAttachments } from "../documents/listed-names.js";
import { EntityMapper } from "../documents/mapping/entity-mapper.js";
import { META } from "../documents/snapshots/snapshot-values.js";
import type { DocumentSession } from "../session/document-session-types.js";
import { Session } from "../session/session.js";
import type { StoreBase } from "../store/store.js";
import { include as includeTimeSeries } from "../time-series/session/included-series.js";
import { inexact } from "../wire/inexact-numbers.js";
import type { DataMessage, ReceivedBatch } from "./connection.js";
import type { Item, Revision, SubscriptionBatch } from "./subscription-types.js";

/** How documents become entities. */
export interface Reading {
  readonly store: StoreBase;
  readonly type: ObjectTypeDescriptor | undefined;
  readonly revisions: boolean;
}

/** A document of a batch. */
class BatchItem extends AnyThis implements Item<object> {
  #result: object | undefined;
  exceptionMessage;
  id;
  changeVector;
  projection;
  revision;
  metadata;
  rawMetadata: IMetadataDictionary;
  #text;
  #raw: ServerDocument | undefined;

  /** `text`: the message as it was received. */
  constructor({ Data, Exception }: DataMessage, text: string, { store, type, revisions }: Reading) {
    super();
    const metadata = Data?.["@metadata"] ?? fail("BadAnswer", "an item of a subscription has no metadata");
    nameAttachments(metadata);
    this.id = metadata["@id"];
    this.changeVector = metadata["@change-vector"];
    this.projection = !!metadata["@projection"];
    this.revision = revisions;
    // The one of the entity, so that the session of the batch saves what a listener changes in it.
    this.metadata = metadata;
    this.rawMetadata = { ...metadata };
    this.exceptionMessage = Exception ?? undefined;
    this.#text = text;
    if (Exception) return;
    const mapper = new EntityMapper(store.conventions);
    const result = revisions ? revisionOf(Data, mapper, type) : mapper.entity(Data, type);
    // Results of projections show the id of their document, too.
    const identity = this.projection && mapper.identityOf(result);
    if (identity) Reflect.set(result, identity, this.id);
    this.#result = result;
  }

  get result(): object {
    if (this.exceptionMessage)
      fail("InvalidOperation", `the server could not process ${this.id}: ${this.exceptionMessage}`);
    return this.#result as object;
  }

  /** The document as it was received: listeners may change `result`. */
  get rawResult(): ServerDocument {
    this.#raw ??= this.parse();
    return this.#raw;
  }

  parse(): ServerDocument {
    const { Data } = JSON.parse(this.#text) as DataMessage;
    nameAttachments(Data["@metadata"]);
    return Data;
  }

  set result(result: object) {
    this.#result = result;
  }
}

function revisionOf(
  { Current, Previous, "@metadata": { "@id": id } }: DataMessage["Data"],
  mapper: EntityMapper,
  type: ObjectTypeDescriptor | undefined,
): Revision<object> & { id?: unknown } {
  const entity = (document: ServerDocument | null | undefined) =>
    document ? mapper.entity(document, type) : null;
  return { current: entity(Current), previous: entity(Previous), id };
}

/** The documents of a batch, and a session for them. */
export function batchOf(received: ReceivedBatch, reading: Reading): SubscriptionBatch<object> {
  const { includes, texts, includedTexts, more } = received;
  const items = received.items.map((message, at) => new BatchItem(message, texts[at] as string, reading));
  let isOpened = false;

  function track(session: Session): void {
    const state = Session.stateOf(session);
    const { unitOfWork, mapper } = state;
    const numbers = inexact(`[${[...texts, ...includedTexts].join()}]`, 3);
    const tracked = items.filter((item) => !(item.projection || item.revision || item.exceptionMessage));
    // The session compares with what the server has: the listener may have changed the entity already.
    const documents = tracked.map((item) => item.parse());
    unitOfWork.loaded(documents, mapper, reading.type, numbers);
    for (const { id, result, metadata } of tracked) {
      unitOfWork.loadedAs(unitOfWork.slot(id), result as Entity);
      // A listener may have put another object in its place.
      if (!Object.hasOwn(result, META)) Reflect.set(result, META, metadata);
    }
    for (const included of includes) unitOfWork.loadedIncludes(Object.values(included), mapper, numbers);
    // The messages have the members that responses with includes have.
    for (const message of more)
      for (const include of [includeCounters, includeTimeSeries]) include(state, message, undefined);
  }

  return {
    items,
    getNumberOfItemsInBatch: () => items.length,
    getNumberOfIncludes: () => includes.length,
    openSession(options = {}) {
      if (options.database)
        fail(
          "InvalidOperation",
          "the session of a batch is one of the subscription's database: no `database`",
        );
      if (options.transactionMode === "ClusterWide")
        fail("InvalidOperation", 'the session of a batch has the transactionMode "SingleNode"');
      if (isOpened) fail("InvalidOperation", "a batch opens one session");
      isOpened = true;
      const session = reading.store.openSession(options);
      if (!options.noTracking) track(session);
      return session as typeof session & DocumentSession;
    },
  };
}
