// Reads the documents of a set from the device, in one transaction.

import { idKey } from "../../common/id-key.js";
import type { ServerDocument } from "../../documents/entity-types.js";
import { META } from "../../documents/snapshots/snapshot-values.js";
import { got, inTransaction, KEPT, keysOf, type Stores } from "../device/queue-database.js";
import { entryIn } from "../documents/kept-reader.js";
import { documentEntry, isKeeps, isKept, type KeptRecord } from "../documents/kept-records.js";
import { allPendingIn, type Pending, pendingIn } from "../pending-documents.js";
import type { Documents } from "./pending-of-set.js";
import type { DeviceSetOptions } from "./set-handle.js";
import { isSet, type SetRecord, setKey } from "./set-records.js";

/** What is kept of a set, and the pending changes; `keys`: of the documents with these keys, default all. */
export function readSet(
  options: DeviceSetOptions,
  declared: string,
  keys?: ReadonlySet<string>,
): Promise<[kept: Documents, pending: Pending]> {
  const { scope } = options;
  return inTransaction(["changes", "texts", ...KEPT], "readonly", (stores) =>
    Promise.all([
      keptOfSet(stores, options, declared, keys),
      keys ? pendingIn(stores, scope, [...keys]) : allPendingIn(stores, scope),
    ]),
  );
}

/** What is kept of these documents of a set. */
export function readKept(
  options: DeviceSetOptions,
  declared: string,
  keys: ReadonlySet<string>,
): Promise<Documents> {
  return inTransaction(KEPT, "readonly", (stores) => keptOfSet(stores, options, declared, keys));
}

/** All pending changes. */
export function readPending({ scope }: DeviceSetOptions): Promise<Pending> {
  return inTransaction(["changes", "texts"], "readonly", (stores) => allPendingIn(stores, scope));
}

async function keptOfSet(
  stores: Stores,
  { scope, name, declaration: { collection }, documents: { origin, upgrade } }: DeviceSetOptions,
  declared: string,
  keys: ReadonlySet<string> | undefined,
): Promise<Documents> {
  const documents: Documents = new Map();
  const put: Put = (document, version) => {
    documents.set(idKey(document[META]["@id"]), upgrade?.(document, version) ?? document);
  };
  /** Those with these keys of entries, as far as they are wanted. */
  const putSome = async (
    entries: readonly string[],
    isWanted: (record: KeptRecord, document: ServerDocument) => boolean,
  ) => {
    const all = await Promise.all(entries.map((key) => entryIn(stores, scope, key)));
    for (const { record, text } of all.filter((entry) => entry !== undefined)) {
      const document = parsed(text);
      if (document && isWanted(record, document)) put(document, record.version);
    }
  };
  const own = setKey(scope, name);
  const chosen = keys && [...keys].map((key) => `d${key}`);
  const [records, found] = await Promise.all([
    got<unknown[]>(stores.sets.getAll(keysOf(scope))),
    got<unknown>(stores.keeps.get(origin)),
    chosen && putSome(chosen, ({ sets }) => sets?.includes(own) === true),
  ]);
  const sets = records.filter(isSet);
  const set = sets.find((each) => each.name === name && each.declared === declared);
  const keeps = isKeeps(found) && found.scope === scope ? found : undefined;
  // What other sets have, too, counts for both.
  const others = sets.reduce((sum, { bytes }) => sum + bytes, (keeps?.bytes ?? 0) - (set?.bytes ?? 0));
  if (!set) documents.clear();
  else if (!keys) await putAll(stores, set, others, upgrade !== undefined, put);
  // What this device has created and saved since, the next comparison lists.
  const news = (keeps?.created ?? [])
    .filter(([id, at]) => at > (set?.clock ?? 0) && keys?.has(idKey(id)) !== false)
    .map(([id]) => documentEntry(id));
  const isOf = (_: KeptRecord, { [META]: metadata }: ServerDocument) =>
    metadata["@collection"] === collection;
  if (collection !== undefined) await putSome(news, isOf);
  return documents;
}

/** Takes a document; `version`: that of the app that has kept it. */
type Put = (document: ServerDocument, version: number | undefined) => void;

/** All of a set. `others`: bytes of what is kept beside them; `withVersions`: whether `put` needs the versions. */
async function putAll(
  { kept, keptTexts }: Stores,
  { scope, name, bytes }: SetRecord,
  others: number,
  withVersions: boolean,
  put: Put,
): Promise<void> {
  // One request for everything is faster, if most of it is wanted; all of it, if there is nothing else.
  const [members, everything] = await Promise.all([
    withVersions || others > 0 ? membersIn(kept.index("sets"), setKey(scope, name), withVersions) : undefined,
    others < bytes ? got<unknown[]>(keptTexts.getAll(keysOf(scope))) : undefined,
  ]);
  const text = (entry: string) => got<unknown>(keptTexts.get([scope, entry]));
  const texts = everything ?? (await Promise.all([...(members?.keys() ?? [])].map(text)));
  for (const text of texts) {
    const document = parsed(text);
    const entry = document && documentEntry(document[META]["@id"]);
    if (entry && members?.has(entry) !== false) put(document, members?.get(entry));
  }
}

/** The versions of the app that have kept the documents of a set, by the keys of their entries. */
async function membersIn(
  index: IDBIndex,
  key: string,
  withVersions: boolean,
): Promise<Map<string, number | undefined>> {
  if (withVersions) {
    const records = await got<unknown[]>(index.getAll(key));
    return new Map(records.filter(isKept).map(({ key, version }) => [key, version]));
  }
  const keys = await got(index.getAllKeys(key));
  return new Map(keys.map((key) => [(key as [string, string])[1], undefined]));
}

/** A document that is kept; `undefined` for results of queries, which have no id. */
export function parsed(text: unknown): ServerDocument | undefined {
  const document = typeof text === "string" ? (JSON.parse(text) as ServerDocument) : undefined;
  return typeof document?.[META]?.["@id"] === "string" ? document : undefined;
}
