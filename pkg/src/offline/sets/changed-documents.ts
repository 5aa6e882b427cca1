// What others have changed in a set of a collection, loaded by ids in place of a comparison.

import { PLAN_HAVE, TAKE_FORGET, TAKE_REPLACE } from "../../../gen/protocol.js";
import { idKey } from "../../common/id-key.js";
import { type SetRunCore, setRun } from "../device/queue-core.js";
import type { KeptRecord, SeenDocument } from "../documents/kept-records.js";
import type { Write } from "../documents/kept-write.js";
import type { Changed } from "./set-changes.js";
import { type OpenSet, setIn } from "./set-records.js";
import {
  type ChangedKeys,
  collectionOf,
  noChanges,
  planned,
  SetTransactions,
  Void,
} from "./set-transactions.js";

export class ChangedDocuments extends SetTransactions {
  /**
   * Loads those of which the device has not got this version. Resolves with `false` if a comparison is needed: a document is absent,
   * hidden, older, or of another collection, or everything was removed.
   */
  async load(changed: Changed): Promise<boolean> {
    await this.start();
    // A comparison makes the set, if it was removed.
    this.isStored = true;
    const run = setRun(0);
    try {
      return await this.#load(run, new Map([...changed].map(([id, version]) => [idKey(id), version])));
    } catch (error) {
      if (error instanceof Void) return false;
      throw error;
    } finally {
      run.free();
    }
  }

  async #load(run: SetRunCore, versions: Changed): Promise<boolean> {
    const { device, requests, scope, name, declared, changed } = this.options;
    const isHere = async (key: string, find: Promise<KeptRecord | undefined>) => {
      const record = await find;
      return this.isMember(record) && planned(run, versions.get(key), record) === PLAN_HAVE;
    };
    const keys = [...versions.keys()];
    // What this device has saved, or another tab has loaded.
    const areHere = await device.look(this.begun(), async (stores) => {
      const set = await setIn(stores, scope, name);
      // Another tab may have removed the set, or found that it is not complete.
      if (set?.declared !== declared || !set.isComplete) return undefined;
      return Promise.all(keys.map((key) => isHere(key, this.entry(stores, key))));
    });
    if (!areHere) throw new Void();
    const wanted = keys.filter((_, at) => !areHere[at]);
    if (wanted.length === 0) return true;
    const begun = this.begun();
    const documents = await requests.load(wanted);
    const changes = noChanges();
    const areKnown = await this.update(begun, async (write, set) => {
      await Promise.all(documents.map((document) => this.#take(write, set, document, changes)));
      this.written(set);
      return Promise.all(documents.map(({ id }) => isHere(idKey(id), write.find(id))));
    });
    changed(changes);
    return areKnown.every(Boolean);
  }

  async #take(write: Write, set: OpenSet, document: SeenDocument, changes: ChangedKeys): Promise<void> {
    const { text } = document;
    const id = text === null ? await this.idOf(write, document.id) : document.id;
    const { verdict, known } = await write.take(document);
    if (this.isMember(known)) {
      if (verdict === TAKE_FORGET || (verdict === TAKE_REPLACE && text === null)) changes.removed.push(id);
      else if (verdict === TAKE_REPLACE) changes.changed.push(idKey(id));
    } else if (text !== null && verdict !== TAKE_FORGET && collectionOf(text) === this.options.collection)
      await this.join(write, set, id, changes);
  }
}
