// Runs of a set over a device and a server in memory: the sums that a page keeps are those of what the device has, whatever runs,
// sessions and loads of changed documents write in between, and a run reads its entries only after others have written.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startCore } from "../../pkg/dist/offline/device/queue-core.js";
import { newKeeps } from "../../pkg/dist/offline/documents/kept-records.js";
import { Write } from "../../pkg/dist/offline/documents/kept-write.js";
import { ChangedDocuments } from "../../pkg/dist/offline/sets/changed-documents.js";
import { SetRun } from "../../pkg/dist/offline/sets/set-run.js";
import { hashesOf, keyOf, Sums } from "../../pkg/dist/offline/sets/sums.js";
import { random } from "../support/random.mjs";

const SCOPE = "server user";
const NAME = "notes";
const COLLECTION = "Notes";
const KEY = `${SCOPE}\n${NAME}`;

globalThis.IDBKeyRange ??= { bound: () => undefined };

const request = (result) => {
  const made = { result };
  queueMicrotask(() => made.onsuccess());
  return made;
};

/** A store of the device. */
class Store extends Map {
  reads = 0;

  get(key) {
    return request(super.get(String(key)));
  }
  put(value, key = [value.scope ?? value.origin, value.key ?? value.name]) {
    this.set(String(key), structuredClone(value));
  }
  delete(key) {
    super.delete(String(key));
  }
  getAll() {
    return request([...this.values()]);
  }
  /** The index of sets. */
  index() {
    return {
      getAll: (key) => {
        this.reads++;
        return request([...this.values()].filter(({ sets }) => sets?.includes(key)));
      },
    };
  }
}

/** What `KeptDevice` does for runs. */
class Device {
  stores = { keeps: new Store(), kept: new Store(), keptTexts: new Store(), sets: new Store() };
  keeps = newKeeps("server", SCOPE, "first", "incarnation");

  get begun() {
    const { clock, generation } = this.keeps;
    return { clock, generation, turn: 0 };
  }
  async refresh() {}
  look(_, work) {
    return work(this.stores, this.keeps);
  }
  async update(begun, work) {
    const write = new Write(this.stores, this.keeps, 0, () => begun.clock);
    const value = await work(write);
    this.keeps = write.end();
    return { value };
  }
  /** The versions of the set's documents, by keys. */
  get members() {
    const found = [...this.stores.kept.values()].filter(({ sets }) => sets?.includes(KEY));
    return Object.fromEntries(found.map(({ key, vector }) => [key.slice(1), vector]).sort());
  }
}

class Server {
  documents = new Map();
  version = 0;

  put(id) {
    this.documents.set(id, `A:${++this.version}-db`);
  }
  delete(id) {
    this.version++;
    this.documents.delete(id);
  }
  seen(id) {
    const vector = this.documents.get(id) ?? "";
    const text = JSON.stringify({ "@metadata": { "@id": id, "@collection": COLLECTION } });
    return { id, vector, text: vector ? text : null };
  }
  get all() {
    return Object.fromEntries([...this.documents].sort());
  }
}

function made() {
  const [device, server] = [new Device(), new Server()];
  let known;
  let loads = 0;
  const requests = {
    compare: async (etag, { key, sums }) => {
      const own = keyOf(key);
      const actual = new Sums();
      for (const [id, vector] of Object.entries(device.members)) actual.add(hashesOf(own, id, vector));
      assert.deepEqual(sums, actual.bytes, "the sums are those of what the device has");
      const current = String(server.version);
      if (etag === current) return { isSame: true };
      const theirs = new Sums();
      const buckets = Array.from({ length: 256 }, () => []);
      for (const [id, vector] of server.documents) {
        const hashes = hashesOf(own, id, vector);
        theirs.add(hashes);
        buckets[hashes.bucket].push(id, vector);
      }
      const differing = new Map(theirs.differing(new Sums(sums)).map((at) => [at, buckets[at]]));
      return { isSame: false, isStale: false, etag: current, differing };
    },
    load: async (ids) => {
      loads++;
      return ids.map((id) => server.seen(id));
    },
    async *stream() {
      yield [...server.documents.keys()].map((id) => server.seen(id));
    },
  };
  const options = {
    device,
    requests,
    scope: SCOPE,
    name: NAME,
    collection: COLLECTION,
    declared: "{}",
    limit: 1 << 30,
    progress() {},
    changed() {},
  };
  const work = async (Run, action) => {
    const run = new Run({ ...options, known });
    try {
      return await action(run);
    } finally {
      known = run.known;
    }
  };
  return {
    device,
    server,
    run: () => work(SetRun, (run) => run.run()),
    /** Loads documents of which a change was told. */
    changed: (ids) =>
      work(ChangedDocuments, (run) =>
        run.load(new Map(ids.map((id) => [id, server.documents.get(id) ?? `A:${server.version}-db`]))),
      ),
    /** A session loads a document. */
    async session(id) {
      await startCore();
      await device.update(device.begun, (write) => write.documents({ documents: [server.seen(id)] }));
    },
    loads: () => loads,
  };
}

const id = (at) => `notes/${at}`;

test("after any order of writes a run brings the device up to date, with sums of what it has", async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const { device, server, run, changed, session } = made();
    const { below, some, pick } = random(seed);
    for (let at = 0; at < 60; at++) server.put(id(at));
    for (let round = 0; round < 15; round++) {
      const ids = some(1 + below(6), () => id(below(70)));
      for (const each of ids)
        pick([() => server.put(each), () => server.put(each), () => server.delete(each)])();
      for (const each of some(below(3), () => id(below(70)))) await session(each);
      if (round > 0 && below(2)) await changed(ids);
      assert.equal(await run(), "complete");
      assert.deepEqual(device.members, server.all, `seed ${seed}, round ${round}`);
    }
  }
});

test("a run reads the entries of the set for its sums only if others have written", async () => {
  const { device, server, run, changed, session } = made();
  const { kept } = device.stores;
  for (let at = 0; at < 300; at++) server.put(id(at));
  const reads = async (work) => {
    const before = kept.reads;
    await work();
    return kept.reads - before;
  };
  assert.equal(await run(), "complete");
  assert.equal(await reads(run), 0, "after the first load");
  server.put(id(1));
  // Which documents the buckets have that differ.
  assert.equal(await reads(run), 1);
  assert.equal(await reads(run), 0, "after its own writes");
  server.put(id(2));
  assert.equal(await reads(() => changed([id(2)])), 0);
  assert.equal(await reads(run), 0, "after a change was loaded by its id");
  server.put(id(3));
  await session(id(3));
  assert.equal(await reads(run), 1, "a session has written");
  assert.deepEqual(device.members, server.all);
});

test("a change is loaded by its id, and what the device has by now is not", async () => {
  const { device, server, run, changed, loads, session } = made();
  for (let at = 0; at < 5; at++) server.put(id(at));
  await run();
  const before = loads();
  server.put(id(1));
  server.put(id(9));
  assert.equal(await changed([id(1), id(9)]), true);
  assert.equal(loads() - before, 1);
  assert.deepEqual(device.members, server.all);
  assert.equal(await changed([id(1)]), true);
  server.put(id(2));
  await session(id(2));
  assert.equal(await changed([id(2)]), true);
  assert.equal(loads() - before, 1, "both versions are here");
  server.delete(id(1));
  assert.equal(await changed([id(1)]), false, "only a comparison says that the set lacks nothing");
  assert.equal(await run(), "complete");
  assert.deepEqual(device.members, server.all);
});
