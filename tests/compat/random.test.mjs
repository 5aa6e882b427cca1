// Random session programs have the same values, errors, requests and documents with npm `ravendb` and with this
// package. `SEED=17 node --test tests/compat/random.test.mjs` repeats one, `SEED=1000-2000` runs many.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { suite, test } from "node:test";
import { random } from "../support/random.mjs";
import { create, missing, remove, send, ravendb as server } from "../support/server.mjs";
import { raven, ravendb } from "./random/clients.mjs";
import { plan } from "./random/plan.mjs";
import { play } from "./random/play.mjs";
import { show } from "./random/values.mjs";

const full = process.env.RAVEN_EDGE_FULL === "1";
const first = full ? Date.now() % 1_000_000 : 1;
const [from, to] = (process.env.SEED ?? `${first}-${first + (full ? 1_500 : 60)}`).split("-").map(Number);

/** The database of one client, and direct requests to it. */
class Base {
  url = server.url;
  database = `random-${randomBytes(6).toString("hex")}`;

  #send = (method, path, body) => send(this.url, method, `/databases/${this.database}${path}`, body);

  async #documents() {
    const { json } = await this.#send("GET", "/docs?start=0&pageSize=1000");
    return json.Results.filter(({ "@metadata": { "@id": id } }) => !id.startsWith("Raven/"));
  }

  /** Each document as text, with the metadata that readers use. */
  async contents() {
    const documents = await this.#documents();
    return documents.map(({ "@metadata": metadata, ...fields }) => {
      const { "@change-vector": _, "@last-modified": __, "@nested-object-types": types, ...rest } = metadata;
      const type = metadata["Raven-Node-Type"] ?? undefined;
      return `${metadata["@id"]}: ${show(fields)} ${show({ ...rest, "Raven-Node-Type": type })} ${show({ ...types })}`;
    });
  }

  async write(id, document) {
    await this.#send(document ? "PUT" : "DELETE", `/docs?id=${encodeURIComponent(id)}`, document);
  }

  async empty() {
    const ids = (await this.#documents()).map((document) => document["@metadata"]["@id"]);
    const Commands = ids.map((Id) => ({ Type: "DELETE", Id, ChangeVector: null }));
    if (ids.length > 0) await this.#send("POST", "/bulk_docs", { Commands });
  }
}

/** Generated ids are replaced by their order of appearance. */
function observed({ seen, left }) {
  const names = new Map();
  const plain = (text) =>
    text.replace(/\b(my)?\w+s\/\d+(-A)?|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/gi, (id) => {
      if (!names.has(id)) names.set(id, `made/#${names.size}`);
      return names.get(id);
    });
  return [...seen.map(plain), ...left.map(plain).sort()];
}

suite("random programs", { skip: missing(server), timeout: 900_000 }, () => {
  test(`random programs have the same results: seeds ${from} to ${to ?? from}`, async () => {
    const [there, here] = [new Base(), new Base()];
    const differences = [];
    try {
      for (const base of [there, here]) await create(server, base.database);
      for (let seed = from; seed <= (to ?? from); seed++) {
        const program = plan(random(seed));
        for (const base of [there, here]) await base.empty();
        const npm = observed(await play(ravendb, there, program));
        const edge = observed(await play(raven, here, program));
        const at = npm.findIndex((text, step) => text !== edge[step]);
        // If npm `ravendb` itself fails there is nothing to compare.
        if ((at < 0 && npm.length === edge.length) || npm[at]?.includes("throws TypeError")) continue;
        const before = program.steps
          .slice(0, at + 1)
          .map((step, n) => `${JSON.stringify(step)}\n    ${npm[n]}`);
        const { steps: _, ...options } = program;
        const head = `seed ${seed} ${JSON.stringify(options)}, step ${at}:\n${before.join("\n")}`;
        differences.push(`${head}\nnpm  ${npm[at]}\nhere ${edge[at]}\n`);
      }
    } finally {
      for (const { database } of [there, here]) await remove(server, database);
    }
    assert.equal(differences.join("\n"), "");
  });
});
