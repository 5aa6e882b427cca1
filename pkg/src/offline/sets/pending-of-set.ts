// Tells listeners of a set which documents it shows otherwise since changes were queued, saved, merged or given up, in any tab.

import { idKey } from "../../common/id-key.js";
import type { ServerDocument } from "../../documents/entity-types.js";
import { META } from "../../documents/snapshots/snapshot-values.js";
import type { SavedKeys } from "../documents/seen-documents.js";
import { shown } from "../overlay.js";
import type { Pending } from "../pending-documents.js";
import type { ChangedKeys } from "./set-transactions.js";

/** Documents by the keys of ids. */
export type Documents = Map<string, ServerDocument>;

export const isNothing = ({ added, changed, removed }: ChangedKeys): boolean =>
  added.length + changed.length + removed.length === 0;

/** Documents with pending changes laid over them. New documents of the set's collection are among them. `keys`: of these alone. */
export function laid(
  kept: Documents,
  pending: Pending,
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
  /** What is kept of these documents. */
  kept(keys: ReadonlySet<string>): Promise<Documents>;
  /** All pending changes. */
  pending(): Promise<Pending>;
  isHeard(): boolean;
  tell(changes: ChangedKeys, documents: Documents): void;
  failed(error: object): void;
}

/** What is to be told. */
interface Due {
  /** What was saved, by the keys of ids. */
  saved: Map<string, SavedKeys[number]>;
  /** What this page has queued; `undefined`: more than that may have changed. */
  written: Pending | undefined;
  isTaken: boolean;
}

/** What tells listeners when pending changes are others than before. `opened`: from then on the device can be read. */
export function pendingOfSet(opened: Promise<void>, collection: string | undefined, set: SetView) {
  /** Pending changes as listeners know them. */
  let known: Pending = new Map();
  /** What is to be told; `undefined`: nothing. */
  let due: Due | undefined;
  /** Reads follow each other; never rejects. Runs report why the device cannot be read. */
  let last = opened
    .then(async () => {
      known = await set.pending();
    })
    .catch(() => {});

  /** `saved`: these are others even if this page has never seen that they waited. */
  async function tell({ saved, written, isTaken }: Due): Promise<void> {
    const after = written ?? (await set.pending());
    let before = known;
    if (written) {
      before = new Map();
      for (const [key, change] of written) {
        const earlier = known.get(key);
        if (earlier) before.set(key, earlier);
        known.set(key, change);
      }
      if (isTaken) return;
    } else known = after;
    const isOther = (key: string) => before.get(key)?.text !== after.get(key)?.text || saved.has(key);
    const keys = new Set([...before.keys(), ...after.keys(), ...saved.keys()].filter(isOther));
    if (keys.size === 0) return;
    const kept = await set.kept(keys);
    const [were, are] = [laid(kept, before, collection, keys), laid(kept, after, collection, keys)];
    const changes: ChangedKeys = { added: [], changed: [], removed: [] };
    for (const key of keys) {
      // A deletion that was saved before this page has seen it, or a patch, after which the document is not known.
      const [id = key, ofSaved] = saved.get(key) ?? [];
      const isSaved = saved.has(key) && ofSaved === collection;
      const isUnseen = isSaved && before.get(key)?.text === undefined;
      const [was, is] = [were.has(key) || isUnseen, are.has(key)];
      if (is) changes[was ? "changed" : "added"].push(key);
      else if (was) changes.removed.push(were.get(key)?.[META]["@id"] ?? id);
    }
    if (!isNothing(changes)) set.tell(changes, are);
  }

  /** `written`: what has changed is what this page has just queued, and nothing else; `isTaken`: all listeners show it. */
  return (saved: SavedKeys, written: Pending | undefined, isTaken: boolean): void => {
    const earlier = due;
    const all = earlier?.saved ?? new Map();
    for (const each of saved) all.set(idKey(each[0]), each);
    const isWritten = written && (!earlier || earlier.written);
    due = {
      saved: all,
      written: isWritten && new Map([...(earlier?.written ?? []), ...written]),
      isTaken: isTaken && earlier?.isTaken !== false,
    };
    if (earlier) return;
    last = last
      .then(() => {
        const now = due as Due;
        due = undefined;
        return set.isHeard() ? tell(now) : undefined;
      })
      .catch((error) => set.failed(error));
  };
}
