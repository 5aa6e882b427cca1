// Tells listeners of a set which documents it shows otherwise since changes were queued, saved, merged or given up, in any tab.

import { idKey } from "../../common/id-key.js";
import type { ServerDocument } from "../../documents/entity-types.js";
import { META } from "../../documents/snapshots/snapshot-values.js";
import type { SavedKeys } from "../documents/seen-documents.js";
import { shown } from "../overlay.js";
import type { AllPending } from "../pending-documents.js";
import type { ChangedKeys } from "./set-transactions.js";

/** Documents by the keys of ids. */
export type Documents = Map<string, ServerDocument>;

export const isNothing = ({ added, changed, removed }: ChangedKeys): boolean =>
  added.length + changed.length + removed.length === 0;

/** Documents with pending changes laid over them. New documents of the set's collection are among them. `keys`: of these alone. */
export function laid(
  kept: Documents,
  pending: AllPending,
  collection: string | undefined,
  keys?: ReadonlySet<string>,
): Documents {
  const all = new Map(kept);
  for (const [key, change] of pending) {
    const isOf = kept.has(key) || (collection !== undefined && change.collection === collection);
    // The results of patches are the server's.
    if (!isOf || change.text === undefined || keys?.has(key) === false) continue;
    const document = shown(change);
    if (document) all.set(key, document);
    else all.delete(key);
  }
  return all;
}

interface SetView {
  /** What is kept of these documents, and all pending changes. */
  read(keys: ReadonlySet<string>): Promise<[kept: Documents, pending: AllPending]>;
  isHeard(): boolean;
  tell(changes: ChangedKeys, documents: Documents): void;
  failed(error: object): void;
}

export class PendingOfSet {
  readonly #collection;
  readonly #set: SetView;
  /** Pending changes as listeners know them. */
  #known: AllPending = new Map();
  /** Reads follow each other; never rejects. */
  #last: Promise<void>;
  /** What was saved since the last read has begun, by the keys of ids; `undefined`: no read is due. */
  #saved: Map<string, SavedKeys[number]> | undefined;

  /** `opened`: from then on the device can be read. */
  constructor(opened: Promise<void>, collection: string | undefined, set: SetView) {
    this.#collection = collection;
    this.#set = set;
    const begin = async () => {
      [, this.#known] = await set.read(new Set());
    };
    // Runs report why the device cannot be read.
    this.#last = opened.then(begin).catch(() => {});
  }

  changed(saved: SavedKeys): void {
    const isDue = this.#saved !== undefined;
    this.#saved = new Map([
      ...(this.#saved ?? []),
      ...saved.map((each): [string, SavedKeys[number]] => [idKey(each[0]), each]),
    ]);
    if (isDue) return;
    this.#last = this.#last
      .then(() => {
        const all = this.#saved ?? new Map();
        this.#saved = undefined;
        return this.#set.isHeard() ? this.#tell(all) : undefined;
      })
      .catch((error) => this.#set.failed(error));
  }

  /** `saved`: these are others even if this page has never seen that they waited. */
  async #tell(saved: ReadonlyMap<string, SavedKeys[number]>): Promise<void> {
    const before = this.#known;
    const [, after] = await this.#set.read(new Set());
    this.#known = after;
    const isOther = (key: string) => before.get(key)?.text !== after.get(key)?.text || saved.has(key);
    const keys = new Set([...before.keys(), ...after.keys(), ...saved.keys()].filter(isOther));
    if (keys.size === 0) return;
    const [kept, pending] = await this.#set.read(keys);
    const [were, are] = [before, pending].map((each) => laid(kept, each, this.#collection, keys)) as [
      Documents,
      Documents,
    ];
    const changes: ChangedKeys = { added: [], changed: [], removed: [] };
    for (const key of keys) {
      // A deletion that was saved before this page has seen it, or a patch, after which the document is not known.
      const [id = key, collection] = saved.get(key) ?? [];
      const isSaved = saved.has(key) && collection === this.#collection;
      const isUnseen = isSaved && before.get(key)?.text === undefined;
      const [was, is] = [were.has(key) || isUnseen, are.has(key)];
      if (is) changes[was ? "changed" : "added"].push(key);
      else if (was) changes.removed.push(were.get(key)?.[META]["@id"] ?? id);
    }
    if (!isNothing(changes)) this.#set.tell(changes, are);
  }
}
