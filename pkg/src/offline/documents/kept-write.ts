// One transaction that keeps documents and results.

import {
  ENTRY_TOUCHED,
  TAKE_CONFIRM,
  TAKE_FORGET,
  TAKE_OUTDATE,
  TAKE_REPLACE,
} from "../../../gen/protocol.js";
import { takeKept } from "../device/queue-core.js";
import { got, type Stores } from "../device/queue-database.js";
import { nameOf, OpenSets, setKey } from "../sets/set-records.js";
import {
  ABSENT,
  bytesOf,
  documentEntry,
  FORGOTTEN,
  isKept,
  type KeepsRecord,
  type KeptRecord,
  missingSince,
  newEntry,
  RESULTS,
  resultsEntry,
  type SeenDocument,
  type SeenResults,
  THERE,
  vectorWords,
} from "./kept-records.js";
import type { Seen } from "./requested.js";

/** The key of the text. */
const keyOf = ({ scope, key }: KeptRecord): [string, string] => [scope, key];

/** How many new documents are remembered. */
const CREATED = 500;

/** A transaction that writes. */
export class Write {
  readonly stores;
  readonly #keeps;
  readonly #version;
  readonly #began;
  /** The sets of the user. */
  readonly sets: OpenSets;
  #hasEvicted = false;
  /** Entries as the transaction leaves them, by their keys; `undefined`: removed. Most are changed twice, and written once. */
  readonly #entries = new Map<string, KeptRecord | undefined>();

  /** `version`: that of the app; `began`: the clock when the request began, for an entry that was kept at this time. */
  constructor(stores: Stores, keeps: KeepsRecord, version: number, began: (at: number) => number = () => 0) {
    this.stores = stores;
    this.#version = version;
    this.#keeps = { ...keeps, clock: keeps.clock + 1 };
    this.#began = began;
    this.sets = new OpenSets(stores, keeps.scope);
  }

  get clock(): number {
    return this.#keeps.clock;
  }

  /** Takes what a response says of documents; resolves with the ids of those whose newest version is not known. */
  async documents({ documents, touched = [], unknown = [] }: Seen): Promise<string[]> {
    const different = [...new Map(documents.map((each) => [documentEntry(each.id), each])).values()];
    const areKnown = await Promise.all(different.map((each) => this.#isKnown(each)));
    const created = different
      .filter(({ isNew }) => isNew)
      .map(({ id }): [string, number] => [id, this.clock]);
    if (created.length > 0)
      this.#keeps.created = [...(this.#keeps.created ?? []), ...created].slice(-CREATED);
    await Promise.all([
      ...unknown.map((id) => this.#forget(id)),
      ...touched.map((id) => this.take({ id, text: null, vector: "" }, ENTRY_TOUCHED)),
    ]);
    return [...unknown, ...touched, ...different.filter((_, at) => !areKnown[at]).map(({ id }) => id)];
  }

  /** Resolves with whether its newest version is known. */
  async #isKnown(document: SeenDocument): Promise<boolean> {
    const { verdict, known } = await this.take(document);
    const isRead = document.text === null || document.vector !== "";
    return isRead && verdict !== TAKE_FORGET && (known?.kind !== FORGOTTEN || verdict === TAKE_REPLACE);
  }

  /** Takes what a response says of a document; resolves with what became of it (one of `TAKE_…`), and with its entry before. */
  async take(
    { id, text, vector, inexact, isNew, version = this.#version }: SeenDocument,
    says: number = text === null ? ABSENT : THERE,
  ) {
    const key = documentEntry(id);
    const known = await this.#find(key);
    const record = known ?? newEntry(this.#keeps.scope, key);
    const [seen, kept] = vectorWords(vector, record.vector) as [number[], number[]];
    const { evicted } = this.#keeps;
    // That it did not exist was read before it was created.
    const began = isNew && record.kind === ABSENT ? record.at : this.#began(record.at);
    const head = [began, evicted, says, known ? record.kind : 0, record.at, seen.length / 3];
    const verdict = takeKept([...head, ...seen, ...kept]);
    if (verdict === TAKE_REPLACE)
      await this.#put(
        { ...record, kind: text === null ? ABSENT : THERE, vector, inexact, version },
        text,
        record.vector,
      );
    else if (verdict === TAKE_OUTDATE) await this.#outdate(record);
    else if (verdict === TAKE_FORGET)
      await this.#put({ ...record, kind: FORGOTTEN, vector: "" }, null, record.vector);
    else if (known) this.#used(known, verdict === TAKE_CONFIRM);
    return { verdict, known };
  }

  /** `began`: the clock when they were requested. */
  async results({ name, results }: SeenResults, began: number): Promise<void> {
    const key = resultsEntry(name);
    const known = await this.#find(key);
    const since = missingSince(known, results.rest.IsStale === true, began);
    const record = known ?? newEntry(this.#keeps.scope, key);
    await this.#put({ ...record, kind: RESULTS, since }, JSON.stringify(results), "");
  }

  /** The version of a document is not known any more, and its text is: it stays in its sets, whose next comparison loads it. */
  async #outdate({ vector, ...record }: KeptRecord): Promise<void> {
    const { clock } = this.#keeps;
    this.#entries.set(record.key, { ...record, vector: "", at: clock, used: clock });
    for (const name of record.sets ?? [])
      (await this.sets.of(nameOf(name)))?.written(0, record.key, vector, "");
  }

  /** The newest version of a document is not known any more. */
  async #forget(id: string): Promise<void> {
    const record = await this.#find(documentEntry(id));
    if (record) await this.#put({ ...record, kind: FORGOTTEN, vector: "" }, null, record.vector);
  }

  async touch(key: string): Promise<void> {
    const record = await this.#find(key);
    if (record) this.#used(record, false);
  }

  /** Removes an entry that belongs to no set. */
  remove(record: KeptRecord): void {
    this.#keeps.bytes -= record.bytes;
    this.#delete(record);
  }

  #delete(record: KeptRecord): void {
    this.#hasEvicted = true;
    this.#entries.set(record.key, undefined);
    this.stores.keptTexts.delete(keyOf(record));
  }

  /** A document that is there belongs to a set from now on; resolves with whether it did not before. */
  async join(id: string, name: string): Promise<boolean> {
    const record = await this.#find(documentEntry(id));
    if (record?.kind !== THERE || record.sets?.includes(setKey(record.scope, name))) return false;
    // What belongs to a set has no part in the limit of what is kept otherwise.
    if (!record.sets) this.#keeps.bytes -= record.bytes;
    const sets = [...(record.sets ?? []), setKey(record.scope, name)];
    this.#entries.set(record.key, { ...record, sets });
    (await this.sets.of(name))?.written(record.bytes, record.key, undefined, record.vector);
    return true;
  }

  /** A document leaves a set, and with its last one the device. `key`: that of the entry. */
  async leave(key: string, name: string): Promise<void> {
    const record = await this.#find(key);
    const own = record && setKey(record.scope, name);
    if (!record?.sets?.includes(own as string)) return;
    const sets = record.sets.filter((set) => set !== own);
    if (sets.length > 0) this.#entries.set(key, { ...record, sets });
    else this.#delete(record);
    (await this.sets.of(name))?.written(-record.bytes, key, record.vector, undefined);
  }

  /** Writes the entries, for who reads them in this transaction by other means. */
  flush(): void {
    const { kept } = this.stores;
    for (const [key, record] of this.#entries)
      if (record) kept.put(record);
      else kept.delete([this.#keeps.scope, key]);
  }

  /** Writes entries and sums; returns these. */
  end(): KeepsRecord {
    this.flush();
    this.sets.end();
    if (this.#hasEvicted) this.#keeps.evicted = this.#keeps.clock;
    this.stores.keeps.put(this.#keeps);
    return this.#keeps;
  }

  /** An entry of this user. */
  find(id: string): Promise<KeptRecord | undefined> {
    return this.#find(documentEntry(id));
  }

  async #find(key: string): Promise<KeptRecord | undefined> {
    if (!this.#entries.has(key)) {
      const found = await got<unknown>(this.stores.kept.get([this.#keeps.scope, key]));
      // A document that occurs twice in a response may have been written meanwhile.
      if (!this.#entries.has(key)) return isKept(found) ? found : undefined;
    }
    return this.#entries.get(key);
  }

  /** `record` has the bytes of before; `before`: its change vector. */
  async #put({ sets, ...record }: KeptRecord, text: string | null, before: string): Promise<void> {
    const { clock } = this.#keeps;
    const bytes = bytesOf(record.key, text);
    const isMember = sets !== undefined && record.kind === THERE;
    if (sets === undefined) this.#keeps.bytes -= record.bytes;
    if (!isMember) this.#keeps.bytes += bytes;
    const written = { ...record, bytes, at: clock, used: clock, time: Date.now(), ...(isMember && { sets }) };
    this.#entries.set(record.key, written);
    if (text === null) this.stores.keptTexts.delete(keyOf(record));
    else this.stores.keptTexts.put(text, keyOf(record));
    for (const name of sets ?? []) {
      const set = await this.sets.of(nameOf(name));
      const after = isMember ? record.vector : undefined;
      set?.written((isMember ? bytes : 0) - record.bytes, record.key, before, after);
      if (!isMember) set?.lost();
    }
  }

  #used(record: KeptRecord, isConfirmed: boolean): void {
    const { clock } = this.#keeps;
    const confirmed = isConfirmed ? { at: clock, time: Date.now() } : {};
    this.#entries.set(record.key, { ...record, ...confirmed, used: clock });
  }
}
