// An attachment of any size goes up and down in constant memory.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { database, missing, ravendb } from "../support/server.mjs";

const SIZE = (process.env.RAVEN_EDGE_FULL === "1" ? 200 : 64) << 20;
const MOST = 16 << 20;

const peer = fileURLToPath(new URL("../support/attachment-peer.mjs", import.meta.url));

test(`an attachment of ${SIZE >> 20} MB is stored and read in constant memory in Node [RavenDB]`, {
  skip: missing(ravendb),
  timeout: 120_000,
}, async (t) => {
  const name = await database(t, ravendb);
  // The young generation has its final size from the start.
  const flags = ["--expose-gc", "--min-semi-space-size=16", "--max-semi-space-size=16"];
  const given = [...flags, peer, ravendb.url, name, String(SIZE)];
  const { stdout } = await promisify(execFile)(process.execPath, given);
  const { grown } = JSON.parse(stdout);
  t.diagnostic(`${grown} bytes more`);
  assert.ok(grown < MOST, `${grown} bytes more`);
});
