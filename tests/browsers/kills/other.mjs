// Another client next to the browser: the package in Node. It holds numbers over some rounds, then returns them.
import { DocumentStore } from "../../support/store.mjs";

export class OtherClient {
  #url;
  #database;
  #ledger;
  #store;
  #count = 0;

  constructor(url, database, ledger) {
    this.#url = url;
    this.#database = database;
    this.#ledger = ledger;
  }

  async work({ tag, count, dispose }) {
    this.#store ??= this.#open();
    const ids = Array.from({ length: count }, async () => {
      const id = await this.#store.hilo(tag).next();
      this.#ledger.take({ kind: "took", name: `node.${++this.#count}`, id, how: "node", tag });
    });
    // It is affected by faults too.
    const outcomes = await Promise.allSettled(ids);
    for (const { reason } of outcomes) if (reason && !reason.code) throw reason;
    if (dispose) await this.dispose();
  }

  async dispose() {
    const store = this.#store;
    this.#store = undefined;
    await store?.dispose();
  }

  #open() {
    const store = new DocumentStore(this.#url, this.#database, { timeout: 2_500 });
    store.conventions.disableTopologyUpdates = true;
    return store.initialize();
  }
}
