// The drivers of browsers: death is sudden, and data that was committed to IndexedDB survives it.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { browsers } from "../support/browsers.mjs";
import { after } from "../support/cleanup.mjs";
import { serve } from "../support/serve.mjs";

const PAGE = "<!doctype html><meta charset=utf-8><title>kill</title>";

/** Runs in a page: adds a key in a strict transaction, and returns all keys. */
function add(key) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("kill", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("keys");
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const move = opening.result.transaction("keys", "readwrite", { durability: "strict" });
      move.objectStore("keys").put(true, key);
      const keys = move.objectStore("keys").getAllKeys();
      move.oncomplete = () => resolve(keys.result);
      move.onabort = () => reject(move.error);
    };
  });
}

for (const { name, missing, launch } of browsers) {
  test(`data that was committed survives the death of the browser [${name}]`, {
    skip: missing,
    timeout: 240_000,
  }, async (t) => {
    const site = await serve(t, { pages: { "/": PAGE } });
    const profile = await mkdtemp(join(tmpdir(), "raven-edge-kill-"));
    after(t, () => rm(profile, { recursive: true, force: true }));
    const first = await launch({ profile });
    after(t, () => first.kill());
    const page = await first.open(site.url);
    assert.deepEqual(await page.evaluate(add, 1), [1]);
    await first.kill();
    const second = await launch({ profile });
    after(t, () => second.close());
    t.diagnostic(second.version);
    const one = await second.open(site.url);
    const other = await second.open(site.url);
    assert.deepEqual(await one.evaluate(add, 2), [1, 2]);
    await one.killRenderer();
    assert.deepEqual(await other.evaluate(add, 3), [1, 2, 3], "the other page is still alive");
    await assert.rejects(
      other.evaluate(() => Promise.reject(new Error("no"))),
      /no/,
    );
  });
}
