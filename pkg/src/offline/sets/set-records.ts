// The records of sets, and what each write of a document changes in them, in its transaction. Hashes are computed by runs alone.

import { isObject } from "../../common/arguments.js";
import { got, keysOf, type Stores } from "../device/queue-database.js";
import type { SetDeclaration } from "../offline-types.js";

/** The version of the records. A set of another one is loaded anew. */
const FORMAT = 1;

/** A set, in the object store `sets`. */
export interface SetRecord {
  format: number;
  scope: string;
  name: string;
  /** See {@link declaredAs}. */
  declared: string;
  /** Counts the writes that change which documents it has, or a version. */
  writes: number;
  /** The server's state that the set has; `null`: it is not certain to have one. */
  etag: string | null;
  /** Counts what the decisions call disturbances: see `src/offline/sets`. */
  disturbed: number;
  /** The sum of its entries. */
  bytes: number;
  /** The device's clock before the comparison as of which it was complete last. */
  clock: number;
  /** When that comparison began, in milliseconds since 1970; `undefined`: it has never been complete. */
  syncedAt: number | undefined;
  /** Whether it has all documents as of that moment. */
  isComplete: boolean;
}

/** What a set is: with another text it is another set. */
export const declaredAs = ({ live: _, maxBytes: __, ...declared }: SetDeclaration): string =>
  JSON.stringify(declared);

/** The key in the index `sets`: `name` ends it. */
export const setKey = (scope: string, name: string): string => `${scope}\n${name}`;
export const nameOf = (key: string): string => key.slice(key.lastIndexOf("\n") + 1);

/** `before`: what has the name until now. Its counts go on, so that a run of it notices. */
export const newSet = (scope: string, name: string, declared: string, before?: SetRecord): SetRecord => ({
  format: FORMAT,
  scope,
  name,
  declared,
  writes: (before?.writes ?? 0) + 1,
  etag: null,
  disturbed: (before?.disturbed ?? 0) + 1,
  bytes: 0,
  clock: 0,
  syncedAt: undefined,
  isComplete: false,
});

export const isSet = (record: unknown): record is SetRecord => isObject(record) && record.format === FORMAT;

/** The record of a set; `undefined`: there is none that can be used. */
export async function setIn({ sets }: Stores, scope: string, name: string): Promise<SetRecord | undefined> {
  const record = await got<unknown>(sets.get([scope, name]));
  return isSet(record) ? record : undefined;
}

/** Entries were removed, and nobody knows to which sets they belong. */
export async function doubtSets({ sets }: Stores, scope: string): Promise<void> {
  const records = await got<unknown[]>(sets.getAll(keysOf(scope)));
  for (const record of records.filter(isSet)) {
    const { writes, disturbed } = record;
    sets.put({ ...record, writes: writes + 1, disturbed: disturbed + 1, etag: null, isComplete: false });
  }
}

/** A version of a document that has become another one: the key of its id, both change vectors; `undefined`: it was, or is, no member. */
export type Move = [key: string, before: string | undefined, after: string | undefined];

/** A set in a transaction. */
export class OpenSet {
  readonly record: SetRecord;
  /** What the transaction does to its documents. */
  readonly moves: Move[] = [];
  isChanged = false;

  constructor(record: SetRecord) {
    this.record = { ...record };
  }

  /** A document has joined, left, or another version; `bytes`: more than before. `entry`: the key of its entry. */
  written(bytes: number, entry: string, before: string | undefined, after: string | undefined): void {
    const { record } = this;
    this.moves.push([entry.slice(1), before, after]);
    this.change({ writes: record.writes + 1, bytes: record.bytes + bytes });
  }

  /**
   * A document has left, and no run has decided so: it is absent, or its newest version is not known any more. Another node, or the server
   * by now, may have it.
   */
  lost(): void {
    this.change({ disturbed: this.record.disturbed + 1, etag: null, isComplete: false });
  }

  change(members: Partial<SetRecord>): void {
    Object.assign(this.record, members);
    this.isChanged = true;
  }
}

/** The sets that a transaction uses. */
export class OpenSets {
  readonly #stores;
  readonly #scope;
  readonly #open = new Map<string, Promise<OpenSet | undefined>>();
  readonly #all: OpenSet[] = [];

  constructor(stores: Stores, scope: string) {
    this.#stores = stores;
    this.#scope = scope;
  }

  /** A set; `undefined` if there is none. */
  of(name: string): Promise<OpenSet | undefined> {
    const open = this.#open.get(name) ?? this.#read(name);
    this.#open.set(name, open);
    return open;
  }

  async #read(name: string): Promise<OpenSet | undefined> {
    const record = await setIn(this.#stores, this.#scope, name);
    return record && this.#opened(record);
  }

  #opened(record: SetRecord): OpenSet {
    const set = new OpenSet(record);
    this.#all.push(set);
    return set;
  }

  /** Makes a set, in place of an earlier one of its name. */
  add(record: SetRecord): OpenSet {
    const set = this.#opened(record);
    set.isChanged = true;
    this.#open.set(record.name, Promise.resolve(set));
    return set;
  }

  /** Removes a set's record; what it has is not counted any more. */
  drop(name: string): void {
    this.#stores.sets.delete([this.#scope, name]);
    this.#open.set(name, Promise.resolve(undefined));
  }

  /** Writes what has changed. */
  end(): void {
    for (const { record, isChanged } of this.#all) if (isChanged) this.#stores.sets.put(record);
  }
}
