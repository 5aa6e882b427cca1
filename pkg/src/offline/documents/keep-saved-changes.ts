// Keeps what saved changes have made of their documents, in the transactions that remove the changes: a session never sees the document
// of before.

import { got, type Stores } from "../device/queue-database.js";
import { areWhole, type ChangeRecord } from "../device/records.js";
import { doubtSets } from "../sets/set-records.js";
import type { KeptDevice, Sealed } from "./kept-device.js";
import { documentEntry } from "./kept-records.js";
import { seenInSettled } from "./seen-documents.js";

/** Documents of which changes were saved: their ids, and their collections. */
export type SavedKeys = readonly (readonly [id: string, collection: string])[];

/** The change vectors of a response, by the numbers of documents. */
type Vectors = ReadonlyMap<number, string>;

/** Changes of one transaction are settled one after the other: each reads what the one before has written. */
const settled = new WeakMap<Stores, Promise<void>>();

/** Resolves in the transaction when it has settled the changes that were removed until now; never rejects. */
export const settledIn = (stores: Stores): Promise<void> => settled.get(stores) ?? Promise.resolve();

/** Settles the changes of one batch. */
export class Settle {
  readonly #device;
  readonly #collections;
  readonly #refresh;
  readonly #sealed;
  #completed: (() => void)[] = [];
  #lost: string[] = [];
  #saved: [id: string, collection: string][] = [];

  /** `sealed`: when the batch was; `refresh` is called with the ids of documents whose newest version is not known. */
  constructor(
    device: KeptDevice,
    sealed: Sealed,
    collections: readonly string[] | undefined,
    refresh: (ids: readonly string[]) => void,
  ) {
    this.#device = device;
    this.#collections = collections;
    this.#refresh = refresh;
    this.#sealed = sealed;
  }

  /** The transaction begins; it may begin again if it has failed. */
  begin(): void {
    this.#completed = [];
    this.#lost = [];
    this.#saved = [];
  }

  /** A change is removed in this transaction because it is saved. `vectors`: those of the response, if there is one. */
  removed(stores: Stores, record: ChangeRecord, vectors: Vectors | undefined): void {
    for (const { id, collection } of record.commands) this.#saved.push([id, collection]);
    // At once: the texts are removed in this transaction, too.
    const texts = got<unknown>(stores.texts.get([record.scope, record.number]));
    texts.catch(() => {});
    const after = settledIn(stores)
      .then(async () => this.#settle(stores, record, vectors, await texts))
      .catch(async () => {
        for (const { id } of record.commands) stores.kept.delete([record.scope, documentEntry(id)]);
        await doubtSets(stores, record.scope);
      });
    settled.set(
      stores,
      after.catch(() => {}),
    );
  }

  async #settle(
    stores: Stores,
    { commands, version }: ChangeRecord,
    vectors: Vectors | undefined,
    texts: unknown,
  ): Promise<void> {
    const known = areWhole(texts, commands) ? texts : commands.map(() => ({ text: null, before: null }));
    const seen = seenInSettled(commands, known, vectors, this.#collections);
    // What was in flight when a new version of the app began has the text of before.
    for (const document of seen.documents) document.version = version;
    const [lost, completed] = await this.#device.settle(stores, seen, this.#sealed);
    this.#lost = this.#lost.concat(lost);
    this.#completed.push(completed);
  }

  /** The transaction is complete; returns what was saved. */
  completed(): SavedKeys {
    for (const completed of this.#completed) completed();
    if (this.#lost.length > 0) this.#refresh(this.#lost);
    return this.#saved;
  }
}
