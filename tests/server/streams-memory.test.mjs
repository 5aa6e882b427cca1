// Memory does not grow with the length of a stream, and a document costs less than half of what it costs npm
// `ravendb`.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { fill } from "../support/fill.mjs";
import { database, missing, ravendb } from "../support/server.mjs";

const full = process.env.RAVEN_EDGE_FULL === "1";
const COUNT = full ? 200_000 : 40_000;
const MOST = 8 * 1024 * 1024;

const peer = fileURLToPath(new URL("../bench/stream/peer.mjs", import.meta.url));

/** A process that reads a stream. */
async function run(...given) {
  // V8's young generation grows in steps of several megabytes at arbitrary times; here it has its final size from the
  // start.
  const flags = ["--min-semi-space-size=16", "--max-semi-space-size=16"];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, peer, ...given.map(String)]);
  return JSON.parse(stdout);
}

test(`memory does not grow in the second half of ${COUNT} documents in Node [RavenDB]`, {
  skip: missing(ravendb),
  timeout: 120_000,
}, async (t) => {
  const name = await database(t, ravendb);
  await fill(ravendb, name, COUNT);
  const { first, second } = await run("raven-edge", COUNT, ravendb.url, name);
  t.diagnostic(`${first} bytes resident in the first half, ${second} in the second`);
  assert.ok(second - first < MOST, `${second - first} bytes more`);
});

test(`a streamed document takes at most half the CPU time of npm ravendb`, {
  timeout: 120_000,
}, async (t) => {
  // The transport is the same for both and does not count: the server is in the same process.
  const ours = await run("raven-edge", COUNT);
  const theirs = await run("ravendb", COUNT);
  t.diagnostic(`${ours.cpu.toFixed(2)} µs, npm ravendb ${theirs.cpu.toFixed(2)} µs`);
  assert.ok(ours.cpu * 2 <= theirs.cpu, `${ours.cpu} µs, npm ravendb ${theirs.cpu} µs`);
});
