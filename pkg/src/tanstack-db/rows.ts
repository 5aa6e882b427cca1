// Rows of TanStack DB as documents, and documents as rows.

import { LIST_METADATA, METADATA_MEMBER as META } from "../../gen/protocol.js";
import { fail, type RavenEdgeError } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import type { IMetadataDictionary, ObjectLiteralDescriptor } from "../documents/entity-types.js";
import type { DocumentStore } from "../store/store-types.js";

export { META };

/** A document of unknown members as a row. */
export type AnyRow = Record<string, unknown> & { id: string; "@metadata"?: IMetadataDictionary };

/** A row, or `null` for a document that does not exist, by the keys of ids. */
export type Rows = Map<string, AnyRow | null>;

/** What TanStack DB adds to the rows that it shows. */
const ADDED = ["$synced", "$origin", "$key", "$collectionId", "$hasPendingWrites"];

/** Documents as they are stored: rows are plain, whatever classes the app has. */
export const PLAIN: ObjectLiteralDescriptor<AnyRow> = {
  name: "document",
  isType: () => false,
  construct: (document) => document as AnyRow,
};

/** The key of a row: its id, as RavenDB compares ids. */
export function keyOf({ id }: { id?: unknown }): string {
  if (typeof id !== "string" || id === "")
    fail(
      "InvalidArgument",
      "a row needs its id: a text, for example that of await collection.utils.nextId()",
    );
  return idKey(id);
}

/** The row of a document. */
export function rowOf(document: object): AnyRow {
  const { [META]: metadata } = document as AnyRow;
  const id = metadata?.["@id"];
  if (typeof id !== "string" || metadata?.["@projection"])
    fail("InvalidArgument", "a row is a whole document: the results of this query are projections");
  return { ...document, id };
}

/** What is stored of a row: without its id, what TanStack DB adds, and what the server writes. */
export function documentOf(row: AnyRow, collection: string): AnyRow {
  const { id: _, [META]: shown, ...members } = row;
  for (const name of ADDED) delete members[name];
  // A copy: sessions write in it.
  const metadata: IMetadataDictionary = { "@collection": collection, ...shown };
  for (const name of LIST_METADATA) delete metadata[name];
  return { ...members, [META]: metadata } as object as AnyRow;
}

/** The version of a row: its change vector; of a row with pending changes one that no other text has. */
export const versionIn = (row: AnyRow): string | undefined => row[META]?.["@change-vector"];

/** For a failed read of the device: `instead`, if the device does not know a document; else the failure is thrown. */
export const ifNotKept =
  <Value>(instead: Value) =>
  (error: unknown): Value => {
    if ((error as RavenEdgeError).code !== "Unreachable") throw error;
    return instead;
  };

/**
 * These documents as the device has them, with pending changes laid over them. What the device does not know is absent.
 */
export async function keptRows(store: DocumentStore, ids: readonly string[]): Promise<Rows> {
  const read = async (some: readonly string[]): Promise<Rows> => {
    const session = store.openSession({ noTracking: true, offline: "only" });
    const found = await session.load<AnyRow>([...some], { documentType: PLAIN });
    return new Map(Object.entries(found).map(([id, document]) => [idKey(id), document && rowOf(document)]));
  };
  if (ids.length === 0) return new Map();
  // One id that the device does not know fails a load.
  const all = await read(ids).catch(ifNotKept(undefined));
  const parts = all
    ? [all]
    : await Promise.all(ids.map((id) => read([id]).catch(ifNotKept<Rows>(new Map()))));
  return new Map(parts.flatMap((part) => [...part]));
}
