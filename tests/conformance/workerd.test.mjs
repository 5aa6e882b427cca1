// The authority in workerd: persistence across restarts, and rollback when the storage fails.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { send } from "./lib/send.mjs";

// xtask sets this after the wasm was built.
const skip = process.env.AUTHORITY_WORKERD_URL ? false : "AUTHORITY_WORKERD_URL is not set";
const json = { "Content-Type": "application/json" };
let folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "raven-edge-"));
});

after(() => rm(folder, { recursive: true, force: true }));

/** Runs workerd with this folder while the function runs. */
async function withWorkerd(use) {
  const script = fileURLToPath(new URL("workerd.mjs", import.meta.url));
  const child = spawn(process.execPath, [script], { env: { ...process.env, PORT: "0", PERSIST: folder } });
  try {
    const [line] = await once(createInterface(child.stdout), "line");
    return await use(line.split("available on: ")[1]);
  } finally {
    child.kill();
    await once(child, "exit");
  }
}

test("leases, vectors and the incarnation continue after a restart", { skip }, async () => {
  const lease = async (url) => {
    const grant = await send(url, { path: "/databases/disk/hilo/next?tag=orders" });
    const document = await send(url, { path: "/databases/disk/docs?id=Raven/Hilo/orders" });
    return {
      low: JSON.parse(grant.text).Low,
      vector: document.headers.etag,
      incarnation: grant.headers["database-cluster-tx-id"],
    };
  };
  const first = await withWorkerd(lease);
  const second = await withWorkerd(lease);
  assert.deepEqual([first.low, second.low], [1, 33]);
  assert.equal(first.incarnation, second.incarnation);
  assert.equal(second.vector, first.vector.replace("A:1-", "A:2-"));
});

test("a batch that exceeds the storage is rolled back completely", { skip }, async () => {
  await withWorkerd(async (url) => {
    const put = (Id, text) => ({ Type: "PUT", Id, ChangeVector: null, Document: { text } });
    const bulk = (...Commands) =>
      send(url, {
        method: "POST",
        path: "/databases/full/bulk_docs",
        headers: json,
        body: JSON.stringify({ Commands }),
      });
    const response = await bulk(put("a/1", "small"), put("a/2", "x".repeat(5_000_000)));
    assert.equal(response.status, 500);
    assert.equal(JSON.parse(response.text).Type, "System.IO.IOException");
    assert.equal((await send(url, { path: "/databases/full/docs?id=a/1" })).status, 404);
    assert.equal((await bulk(put("a/1", "small"))).status, 201);
  });
});

test("every database has its own object, and its name is case-insensitive", { skip }, async () => {
  await withWorkerd(async (url) => {
    const low = async (name) =>
      JSON.parse((await send(url, { path: `/databases/${name}/hilo/next?tag=a` })).text).Low;
    assert.deepEqual([await low("One"), await low("two"), await low("oNE")], [1, 1, 33]);
  });
});

test("a listing longer than a page of rows is complete", { skip }, async () => {
  await withWorkerd(async (url) => {
    const Commands = Array.from({ length: 300 }, (_, i) => ({
      Type: "PUT",
      Id: `n/${String(i).padStart(3, "0")}`,
      Document: {},
    }));
    await send(url, {
      method: "POST",
      path: "/databases/pages/bulk_docs",
      headers: json,
      body: JSON.stringify({ Commands }),
    });
    const ids = async (query) =>
      JSON.parse(
        (await send(url, { path: `/databases/pages/docs?metadataOnly=true&${query}` })).text,
      ).Results.map((document) => document["@metadata"]["@id"]);
    const all = Commands.map(({ Id }) => Id);
    assert.deepEqual(await ids("startsWith=n/"), all);
    assert.deepEqual(await ids(""), all.toReversed());
    assert.deepEqual(await ids("startsWith=n/&startAfter=n/126&pageSize=5"), all.slice(127, 132));
    assert.deepEqual(await ids("startsWith="), all);
  });
});

test('a request without a database does not use the database "default"', { skip }, async () => {
  await withWorkerd(async (url) => {
    assert.equal((await send(url, { path: "/build/version" })).status, 200);
    const { status, text } = await send(url, { path: "/databases/default/hilo/next?tag=orders" });
    assert.deepEqual([status, JSON.parse(text).Low], [201, 1]);
  });
});
