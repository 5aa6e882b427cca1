// The records of documents that are kept on the device, and of results of queries; what is made of documents that an older version of the app
// has kept.

import { ENTRY_ABSENT, ENTRY_FORGOTTEN, ENTRY_THERE } from "../../../gen/protocol.js";
import { isObject } from "../../common/arguments.js";
import { fail } from "../../common/error.js";
import { idKey } from "../../common/id-key.js";
import type { JsonObject } from "../../common/json.js";
import type { ServerDocument } from "../../documents/entity-types.js";
import { META } from "../../documents/snapshots/snapshot-values.js";
import type { OfflineOptions } from "../offline-types.js";

/** The version of the records. Others are not read: what is kept can be loaded again. */
const FORMAT = 1;

/** A document that does not exist. */
export const ABSENT = ENTRY_ABSENT;
/** A document of which responses said different things in an unknown order. */
export const FORGOTTEN = ENTRY_FORGOTTEN;
/** A document with a text. */
export const THERE = ENTRY_THERE;
/** Results of a query or a listing. */
export const RESULTS = 0;

/** An entry in the object store `kept`; its text is in `keptTexts`, under the same key. */
export interface KeptRecord {
  format: number;
  scope: string;
  /** See {@link documentEntry} and {@link resultsEntry}. */
  key: string;
  kind: typeof ABSENT | typeof FORGOTTEN | typeof THERE | typeof RESULTS;
  /** The clock when it was kept or confirmed, and when it was used last. */
  at: number;
  used: number;
  /** When it was kept or confirmed, in milliseconds since 1970, by the clock of the device: shown, and never compared. */
  time: number;
  /** About what it takes on the device. */
  bytes: number;
  /** The change vector of a document. */
  vector: string;
  /** Numbers of a document that JavaScript cannot hold. */
  inexact?: string[] | undefined;
  /** The sets that it belongs to, for the index: see `setKey`. Only a document that is there belongs to sets. */
  sets?: string[];
  /** The version of the app that has kept a document; absent in old entries: 0. */
  version?: number;
  /** Results are certain to contain what was saved until this clock, as far as it fits the query; absent in old entries: `at`. */
  since?: number;
}

/** What is kept of a database, in the object store `keeps`. One user of a device has documents. */
export interface KeepsRecord {
  format: number;
  /** Server and database. */
  origin: string;
  /** Server, database and user. */
  scope: string;
  incarnation: string | undefined;
  /** Random; another one after everything was removed. */
  generation: string;
  /** Counts the transactions that keep something. */
  clock: number;
  /** The clock when entries were evicted last. */
  evicted: number;
  /** The sum of all entries that belong to no set. */
  bytes: number;
  /** Documents that were created on this device and saved, with the clock when: results may not contain them yet. */
  created?: [id: string, at: number][];
}

/** What a response says of a document. */
export interface SeenDocument {
  id: string;
  /** With its metadata; `null` if it does not exist. */
  text: string | null;
  /** Empty if only its text is known, as the device has sent it. */
  vector: string;
  inexact?: string[] | undefined;
  /** Whether a queued change has created it. */
  isNew?: boolean;
  /** The version of the app that has made its text; absent: the server has sent it to this one. */
  version?: number;
}

/** What a response says of a query. */
export interface SeenResults {
  /** Names the query: see `requestedBy`. */
  name: string;
  results: KeptResults;
}

/**
 * The clock from which on new documents may be missing in results; `known`: the results before, if there are some; `began`: the clock
 * when these were requested.
 */
export function missingSince(known: KeptRecord | undefined, isStale: boolean, began: number): number {
  return isStale && known ? (known.since ?? known.at) : began;
}

/** Results as they are kept. */
export interface KeptResults {
  /** The id of each document, or what is none. */
  rows: (string | JsonObject)[];
  /** The ids of included documents. */
  includes: string[];
  /** The other members of the response. */
  rest: JsonObject;
}

export const documentEntry = (id: string): string => `d${idKey(id)}`;
export const resultsEntry = (name: string): string => `r${name}`;

/** About the bytes of an entry on the device. */
export const bytesOf = (key: string, text: string | null): number =>
  200 + 2 * (key.length + (text?.length ?? 0));

export const isKept = (record: unknown): record is KeptRecord =>
  isObject(record) &&
  record.format === FORMAT &&
  typeof record.key === "string" &&
  [record.kind, record.at, record.used, record.bytes].every(Number.isSafeInteger);

export const isKeeps = (record: unknown): record is KeepsRecord =>
  isObject(record) &&
  record.format === FORMAT &&
  typeof record.scope === "string" &&
  typeof record.generation === "string" &&
  [record.clock, record.evicted, record.bytes].every(Number.isSafeInteger);

export const newEntry = (scope: string, key: string): KeptRecord => ({
  format: FORMAT,
  scope,
  key,
  kind: FORGOTTEN,
  at: 0,
  used: 0,
  time: 0,
  bytes: 0,
  vector: "",
});

export const newKeeps = (
  origin: string,
  scope: string,
  generation: string,
  incarnation?: string,
): KeepsRecord => ({
  format: FORMAT,
  origin,
  scope,
  incarnation,
  generation,
  clock: 0,
  evicted: 0,
  bytes: 0,
});

/** `A:12-AbC…, B:3-DeF…`: tag of the node, etag, id of the database. */
const ENTRY = /(\d+)-([^,\s]+)/g;

/** Two change vectors as numbers for the core, three for each entry; the ids of databases are numbered. */
export function vectorWords(...vectors: string[]): number[][] {
  const databases = new Map<string, number>();
  return vectors.map((vector) =>
    [...vector.matchAll(ENTRY)].flatMap(([, etag = "0", database = ""]) => {
      const number = databases.get(database) ?? databases.size;
      databases.set(database, number);
      const low = BigInt.asUintN(32, BigInt(etag));
      return [number, Number(BigInt.asUintN(32, BigInt(etag) >> 32n)), Number(low)];
    }),
  );
}

/** `kept`: the version of the app that has kept it. */
export type UpgradeKept = (document: ServerDocument, kept: number | undefined) => ServerDocument;

/** `undefined`: nothing is rewritten. */
export function upgradeKept({ version = 0, upgrade }: OfflineOptions): UpgradeKept | undefined {
  return (
    upgrade &&
    ((document, kept = 0) => {
      if (kept >= version) return document;
      // `upgrade` may write in it.
      const { "@id": id, "@change-vector": vector, "@last-modified": time } = document[META];
      let upgraded: unknown;
      try {
        upgraded = upgrade(document as ServerDocument & JsonObject, { id, version: kept });
      } catch (cause) {
        fail("InvalidOperation", `upgrade of ${id}, which version ${kept} of the app has kept: ${cause}`, {
          cause,
        });
      }
      if (!isObject(upgraded)) fail("InvalidOperation", `upgrade makes no document of ${id}`);
      // What names its version on the server.
      const own = { "@id": id, "@change-vector": vector, "@last-modified": time };
      return { ...upgraded, [META]: { ...Object(upgraded[META]), ...own } };
    })
  );
}
