// What pending changes make of documents, read from the device: other tabs may have queued them.

import { idKey } from "../common/id-key.js";
import type { LoadedBodies } from "../loading/request-documents.js";
import { documentKey } from "./device/apply-effects.js";
import type { QueueDatabase, Stores } from "./device/queue-database.js";
import { areWhole, type ChangeRecord, flawOf } from "./device/records.js";
import { keysIn, lay, type PendingDocument } from "./overlay.js";

type Pending = Map<string, PendingDocument>;

/** How often a response is requested again because changes were saved while it was on its way. */
const ROUNDS = 3;

export class PendingDocuments {
  readonly #database;
  readonly #scope;

  constructor(database: QueueDatabase, scope: string) {
    this.#database = database;
    this.#scope = scope;
  }

  /**
   * The documents with pending changes, by the keys of their ids. The text is that of the last change that writes or deletes the document;
   * `undefined` if there are only patches, whose result is the server's.
   */
  async of(keys: readonly string[]): Promise<Pending> {
    const pending: Pending = new Map();
    await this.#database.read((stores) => {
      const bounds = IDBKeyRange.bound(documentKey(this.#scope, ""), documentKey(this.#scope, "\uffff"));
      const some = stores.changes.index("documents").count(bounds);
      some.onsuccess = () => {
        if (some.result > 0) for (const key of new Set(keys)) this.#read(stores, key, pending);
      };
      return () => {};
    });
    return pending;
  }

  #read({ changes, texts }: Stores, key: string, pending: Pending): void {
    const about = changes.index("documents").getAll(documentKey(this.#scope, key));
    about.onsuccess = () => {
      for (const row of (about.result as unknown[]).filter((row) => !flawOf(row))) {
        const { scope, number, commands, time } = row as ChangeRecord;
        const request = texts.get([scope, number]);
        request.onsuccess = () => {
          const { result } = request as IDBRequest<unknown>;
          if (!areWhole(result, commands)) return;
          commands.forEach((command, at) => {
            if (command.key !== key) return;
            const { id, kind } = command;
            const text = kind === "PATCH" ? pending.get(key)?.text : (result[at]?.text ?? null);
            pending.set(key, { id, text, time });
          });
        };
      }
    };
  }

  /** Requests documents, and lays pending changes over them. Without a connection, documents that were queued whole are there. */
  async lay(ask: () => Promise<LoadedBodies>, wanted: string[] | undefined): Promise<LoadedBodies> {
    const keys = wanted?.map(idKey) ?? [];
    for (let round = 1; ; round++) {
      const before = await this.found(keys);
      let response: LoadedBodies;
      try {
        response = await ask();
      } catch (error) {
        const isHere = keys.length > 0 && keys.every((key) => before.get(key)?.text !== undefined);
        if (!isHere || !(error as { outage?: boolean }).outage) throw error;
        return lay({ bodies: [], numbers: new Map() }, before, wanted);
      }
      const found = [...keys, ...keysIn(response)];
      const after = await this.found(found);
      // What was saved since the request began may not be in its response.
      if (round < ROUNDS && [...before.keys()].some((key) => !after.has(key))) continue;
      const laid = [...after].filter(([, { text }]) => text !== undefined);
      return laid.length > 0 ? lay(response, new Map(laid), wanted) : response;
    }
  }

  /** The same as `of`; where nothing can be kept on the device, nothing waits there. */
  found(keys: readonly string[]): Promise<Pending> {
    return this.of(keys).catch((): Pending => new Map());
  }
}
