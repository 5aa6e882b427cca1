// The transactions of runs of a set, and of what others have changed; the entries of its documents, and what the core says of them.

import { fail } from "../../common/error.js";
import { idKey } from "../../common/id-key.js";
import type { ServerDocument } from "../../documents/entity-types.js";
import { META } from "../../documents/snapshots/snapshot-values.js";
import { type SetRunCore, startCore } from "../device/queue-core.js";
import { got, type Stores } from "../device/queue-database.js";
import type { Begun, KeptDevice } from "../documents/kept-device.js";
import { documentEntry, isKept, type KeptRecord, vectorWords } from "../documents/kept-records.js";
import type { Write } from "../documents/kept-write.js";
import { parsed } from "./set-reader.js";
import { newSet, type OpenSet, setKey } from "./set-records.js";
import type { SetRequests } from "./set-requests.js";
import { type KnownSums, keepSums } from "./sums.js";

/** What a transaction has done to the documents of a set. */
export interface ChangedKeys {
  /** The keys of ids. */
  added: string[];
  changed: string[];
  /** Ids. */
  removed: string[];
}

export const noChanges = (): ChangedKeys => ({ added: [], changed: [], removed: [] });

export interface RunOptions {
  device: KeptDevice;
  requests: SetRequests;
  scope: string;
  name: string;
  collection: string | undefined;
  declared: string;
  /** Bytes. */
  limit: number;
  known: KnownSums | undefined;
  /** `total`: `undefined` while all documents arrive. */
  progress(loaded: number, total: number | undefined): void;
  /** A transaction is complete. */
  changed(changes: ChangedKeys): void;
}

/** Thrown inside: everything was removed. */
export class Void extends Error {}

export class SetTransactions {
  readonly options;
  /** In the index of entries. */
  readonly #key;
  /** The sums that were sent last. */
  known: KnownSums | undefined;
  generation = "";
  /** Whether the set has a record. */
  isStored = false;

  constructor(options: RunOptions) {
    this.options = options;
    this.#key = setKey(options.scope, options.name);
    this.known = options.known;
  }

  async start(): Promise<void> {
    await startCore();
    await this.options.device.refresh();
    this.generation = this.options.device.begun?.generation ?? "";
  }

  /** Whether the document of an entry belongs to the set. */
  isMember(record: KeptRecord | undefined): boolean {
    return record?.sets?.includes(this.#key) === true;
  }

  /** The entries of the set's documents. */
  members({ kept }: Stores): Promise<KeptRecord[]> {
    return got(kept.index("sets").getAll(this.#key));
  }

  /** The entry of a document. `key`: that of its id. */
  async entry({ kept }: Stores, key: string): Promise<KeptRecord | undefined> {
    const found = await got<unknown>(kept.get([this.options.scope, `d${key}`]));
    return isKept(found) ? found : undefined;
  }

  /** The clock when a request begins that follows everything which this run has written. */
  begun(): Begun {
    const { begun } = this.options.device;
    return begun && { ...begun, generation: this.generation };
  }

  async update<Result>(
    begun: Begun,
    work: (write: Write, set: OpenSet) => Promise<Result>,
    durability?: IDBTransactionDurability,
  ): Promise<Result> {
    const done = await this.options.device.update(
      begun,
      async (write) => {
        const set = await this.#open(write);
        const { writes } = set.record;
        return { set, writes, value: await work(write, set) };
      },
      durability,
    );
    if (!done) throw new Void();
    const { set, writes, value } = done.value;
    if (this.known?.generation === this.generation) keepSums(this.known, set, writes);
    return value;
  }

  /** The set in a transaction, made if need be. */
  async #open(write: Write): Promise<OpenSet> {
    const { scope, name, declared } = this.options;
    const open = await write.sets.of(name);
    if (open?.record.declared === declared) return open;
    // Its counts would begin anew.
    if (!open && this.isStored)
      fail("InvalidOperation", `another tab does not declare the set ${name} and has removed it`);
    this.isStored = true;
    // Another declaration is another set.
    if (open) for (const { key } of await this.members(write.stores)) await write.leave(key, name);
    write.flush();
    return write.sets.add(newSet(scope, name, declared, open?.record));
  }

  /** Documents of the set were written: the transaction that makes it complete may never begin. */
  written(set: OpenSet): void {
    const { name, limit } = this.options;
    set.change({ etag: null });
    if (set.record.bytes > limit)
      fail(
        "Storage",
        `the set ${name} takes more than its ${limit} bytes on this device: raise maxBytes, or narrow the set`,
      );
  }

  /** The id of a document that the device will not have any more. `id`: it, or its key. */
  async idOf({ stores }: Write, id: string): Promise<string> {
    const text = await got<unknown>(stores.keptTexts.get([this.options.scope, documentEntry(id)]));
    return parsed(text)?.[META]["@id"] ?? id;
  }

  /** A document belongs to the set; resolves with whether it did not before. */
  async join(write: Write, set: OpenSet, id: string, changes: ChangedKeys): Promise<boolean> {
    if (!(await write.join(id, this.options.name))) return false;
    set.change({ disturbed: set.record.disturbed + 1 });
    changes.added.push(idKey(id));
    return true;
  }
}

export const collectionOf = (text: string): unknown =>
  (JSON.parse(text) as ServerDocument)[META]["@collection"];

/** What a comparison says of a document: one of `PLAN_…`. */
export function planned(run: SetRunCore, listed: string | undefined, record: KeptRecord | undefined): number {
  const [first, second] = vectorWords(listed ?? "", record?.vector ?? "") as [number[], number[]];
  const bits = Number(listed !== undefined);
  return run.compare(Uint32Array.from([bits, record?.kind ?? 0, first.length / 3, ...first, ...second]));
}
