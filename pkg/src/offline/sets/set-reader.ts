// Reads the documents of a set from the device, in one transaction.

import { idKey } from "../../common/id-key.js";
import type { ServerDocument } from "../../documents/entity-types.js";
import { META } from "../../documents/snapshots/snapshot-values.js";
import { got, inTransaction, KEPT, keysOf, type Stores } from "../device/queue-database.js";
import { entryIn } from "../documents/kept-reader.js";
import {
  documentEntry,
  isKeeps,
  isKept,
  type KeptRecord,
  type UpgradeKept,
} from "../documents/kept-records.js";
import { allPendingIn, type Pending, pendingIn } from "../pending-documents.js";
import type { Documents } from "./pending-of-set.js";
import type { DeviceSetOptions } from "./set-handle.js";
import { isSet, type SetRecord, setKey } from "./set-records.js";

const STORES = ["changes", "texts", "keeps", "kept", "keptTexts", "sets"] as const;

/** What is kept of a set, and the pending changes; `keys`: of the documents with these keys, default all. */
export function readSet(
  options: DeviceSetOptions,
  declared: string,
  keys?: ReadonlySet<string>,
): Promise<[kept: Documents, pending: Pending]> {
  const { scope } = options;
  return inTransaction(STORES, "readonly", (stores) =>
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
  { scope, name, declaration, documents: { origin, upgrade } }: DeviceSetOptions,
  declared: string,
  keys: ReadonlySet<string> | undefined,
): Promise<Documents> {
  const { collection } = declaration;
  const reader = new SetReader(stores, scope, upgrade);
  const [records, found] = await Promise.all([
    got<unknown[]>(stores.sets.getAll(keysOf(scope))),
    got<unknown>(stores.keeps.get(origin)),
    keys &&
      reader.some(
        [...keys].map((key) => `d${key}`),
        ({ sets }) => sets?.includes(setKey(scope, name)) === true,
      ),
  ]);
  const sets = records.filter(isSet);
  const set = sets.find((each) => each.name === name && each.declared === declared);
  const keeps = isKeeps(found) && found.scope === scope ? found : undefined;
  // What other sets have, too, counts for both.
  const others = sets.reduce((sum, { bytes }) => sum + bytes, (keeps?.bytes ?? 0) - (set?.bytes ?? 0));
  if (!set) reader.documents.clear();
  else if (!keys) await reader.all(set, others);
  // What this device has created and saved since, the next comparison lists.
  const news = (keeps?.created ?? []).filter(
    ([id, at]) => at > (set?.clock ?? 0) && keys?.has(idKey(id)) !== false,
  );
  if (collection !== undefined)
    await reader.some(
      news.map(([id]) => documentEntry(id)),
      (_, { [META]: metadata }) => metadata["@collection"] === collection,
    );
  return reader.documents;
}

class SetReader {
  readonly #stores;
  readonly #scope;
  readonly #upgrade;
  /** What was read, by the keys of ids. */
  readonly documents = new Map<string, ServerDocument>();

  constructor(stores: Stores, scope: string, upgrade: UpgradeKept | undefined) {
    this.#stores = stores;
    this.#scope = scope;
    this.#upgrade = upgrade;
  }

  /** Those with these keys of entries, as far as they are wanted. */
  async some(
    keys: readonly string[],
    isWanted: (record: KeptRecord, document: ServerDocument) => boolean,
  ): Promise<void> {
    const entries = await Promise.all(keys.map((key) => entryIn(this.#stores, this.#scope, key)));
    for (const { record, text } of entries.filter((entry) => entry !== undefined)) {
      const document = parsed(text);
      if (document && isWanted(record, document)) this.#put(document, record.version);
    }
  }

  /** All of a set. `others`: bytes of what is kept beside them. */
  async all({ scope, name, bytes }: SetRecord, others: number): Promise<void> {
    const { kept, keptTexts } = this.#stores;
    const key = setKey(scope, name);
    // One request for everything is faster, if most of it is wanted; all of it, if there is nothing else.
    const [members, everything] = await Promise.all([
      this.#upgrade || others > 0 ? this.#members(kept.index("sets"), key) : undefined,
      others < bytes ? got<unknown[]>(keptTexts.getAll(keysOf(scope))) : undefined,
    ]);
    const text = (entry: string) => got<unknown>(keptTexts.get([scope, entry]));
    const texts = everything ?? (await Promise.all([...(members?.keys() ?? [])].map(text)));
    for (const text of texts) {
      const document = parsed(text);
      const entry = document && documentEntry(document[META]["@id"]);
      if (entry && members?.has(entry) !== false) this.#put(document, members?.get(entry));
    }
  }

  /** The versions of the app that have kept the documents of a set, by the keys of their entries. */
  async #members(index: IDBIndex, key: string): Promise<Map<string, number | undefined>> {
    if (this.#upgrade) {
      const records = await got<unknown[]>(index.getAll(key));
      return new Map(records.filter(isKept).map(({ key, version }) => [key, version]));
    }
    const keys = await got(index.getAllKeys(key));
    return new Map(keys.map((key) => [(key as [string, string])[1], undefined]));
  }

  /** `version`: that of the app that has kept it. */
  #put(document: ServerDocument, version: number | undefined): void {
    this.documents.set(idKey(document[META]["@id"]), this.#upgrade?.(document, version) ?? document);
  }
}

/** A document that is kept; `undefined` for results of queries, which have no id. */
export function parsed(text: unknown): ServerDocument | undefined {
  const document = typeof text === "string" ? (JSON.parse(text) as ServerDocument) : undefined;
  return typeof document?.[META]?.["@id"] === "string" ? document : undefined;
}
