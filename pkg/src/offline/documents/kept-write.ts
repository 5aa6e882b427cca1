// One transaction that keeps documents and results.

import { TAKE_CONFIRM, TAKE_FORGET, TAKE_REPLACE } from "../../../gen/protocol.js";
import { takeKept } from "../device/queue-core.js";
import { got, type Stores } from "../device/queue-database.js";
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

/** The key of the text. */
const keyOf = ({ scope, key }: KeptRecord): [string, string] => [scope, key];

/** How many new documents are remembered. */
const CREATED = 500;

/** A transaction that writes. */
export class Write {
  readonly #stores;
  readonly #keeps;
  readonly #began;

  /** `began`: the clock when the request began, for an entry that was kept at this time. */
  constructor(stores: Stores, keeps: KeepsRecord, began: (at: number) => number = () => 0) {
    this.#stores = stores;
    this.#keeps = { ...keeps, clock: keeps.clock + 1 };
    this.#began = began;
  }

  get clock(): number {
    return this.#keeps.clock;
  }

  /** Takes what a response says of documents; resolves with the ids of those whose newest version is not known. */
  async documents(documents: readonly SeenDocument[], unknown: readonly string[]): Promise<string[]> {
    const different = [...new Map(documents.map((each) => [documentEntry(each.id), each])).values()];
    const areKnown = await Promise.all(different.map((each) => this.#document(each)));
    const created = different
      .filter(({ isNew }) => isNew)
      .map(({ id }): [string, number] => [id, this.clock]);
    if (created.length > 0)
      this.#keeps.created = [...(this.#keeps.created ?? []), ...created].slice(-CREATED);
    await Promise.all(unknown.map((id) => this.#forget(id)));
    return [...unknown, ...different.filter((_, at) => !areKnown[at]).map(({ id }) => id)];
  }

  /** Resolves with whether its newest version is known. */
  async #document({ id, text, vector, inexact, isNew }: SeenDocument): Promise<boolean> {
    const key = documentEntry(id);
    const known = await this.#find(key);
    const record = known ?? newEntry(this.#keeps.scope, key);
    const [seen, kept] = vectorWords(vector, record.vector) as [number[], number[]];
    const kind = text === null ? ABSENT : THERE;
    const { evicted } = this.#keeps;
    // That it did not exist was read before it was created.
    const began = isNew && record.kind === ABSENT ? record.at : this.#began(record.at);
    const head = [began, evicted, kind, known ? record.kind : 0, record.at, seen.length / 3];
    const verdict = takeKept([...head, ...seen, ...kept]);
    if (verdict === TAKE_REPLACE) this.#put({ ...record, kind, vector, inexact }, text);
    else if (verdict === TAKE_FORGET) this.#put({ ...record, kind: FORGOTTEN, vector: "" }, null);
    else if (known && verdict === TAKE_CONFIRM) this.#used(known, true);
    else if (known) this.#used(known, false);
    const isRead = kind === ABSENT || vector !== "";
    return isRead && verdict !== TAKE_FORGET && (known?.kind !== FORGOTTEN || verdict === TAKE_REPLACE);
  }

  /** `began`: the clock when they were requested. */
  async results({ name, results }: SeenResults, began: number): Promise<void> {
    const key = resultsEntry(name);
    const known = await this.#find(key);
    const since = missingSince(known, results.rest.IsStale === true, began);
    const record = known ?? newEntry(this.#keeps.scope, key);
    this.#put({ ...record, kind: RESULTS, since }, JSON.stringify(results));
  }

  /** The newest version of a document is not known any more. */
  async #forget(id: string): Promise<void> {
    const record = await this.#find(documentEntry(id));
    if (record) this.#put({ ...record, kind: FORGOTTEN, vector: "" }, null);
  }

  async touch(key: string): Promise<void> {
    const record = await this.#find(key);
    if (record) this.#used(record, false);
  }

  remove(record: KeptRecord): void {
    this.#keeps.bytes -= record.bytes;
    this.#stores.kept.delete(keyOf(record));
    this.#stores.keptTexts.delete(keyOf(record));
  }

  /** Writes the sums; returns them. */
  end(hasEvicted = false): KeepsRecord {
    if (hasEvicted) this.#keeps.evicted = this.#keeps.clock;
    this.#stores.keeps.put(this.#keeps);
    return this.#keeps;
  }

  async #find(key: string): Promise<KeptRecord | undefined> {
    const found = await got<unknown>(this.#stores.kept.get([this.#keeps.scope, key]));
    return isKept(found) ? found : undefined;
  }

  #put(record: KeptRecord, text: string | null): void {
    const { clock } = this.#keeps;
    const bytes = bytesOf(record.key, text);
    this.#keeps.bytes += bytes - record.bytes;
    this.#stores.kept.put({ ...record, bytes, at: clock, used: clock, time: Date.now() });
    if (text === null) this.#stores.keptTexts.delete(keyOf(record));
    else this.#stores.keptTexts.put(text, keyOf(record));
  }

  #used(record: KeptRecord, isConfirmed: boolean): void {
    const { clock } = this.#keeps;
    const confirmed = isConfirmed ? { at: clock, time: Date.now() } : {};
    this.#stores.kept.put({ ...record, ...confirmed, used: clock });
  }
}
