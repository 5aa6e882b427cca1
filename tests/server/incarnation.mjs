// Not a test: records what a real RavenDB does to `Database-Cluster-Tx-Id` and to a counter when its database is
// rolled back. Prints the rows in docs/incarnation.md.
//
//   [RAVENDB_VERSION=…] node tests/server/incarnation.mjs COMMAND…
//
// COMMAND starts a RavenDB that prints "Server available on: URL", accepts RavenDB's flags, and ends on SIGTERM.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MOVE_SCRIPT } from "../support/script.mjs";
import { send } from "../support/server.mjs";

const COUNTER = "docs?id=Raven%2FHilo%2Forders";

const [command, ...args] = process.argv.slice(2);
const root = mkdtempSync(join(tmpdir(), "incarnation-"));
const data = join(root, "data");
const copied = join(root, "copy");
let server;
let url;

async function start() {
  const flags = ["--RunInMemory=false", `--DataDir=${data}`];
  server = spawn(command, [...args, ...flags], { stdio: ["ignore", "pipe", "inherit"] });
  url = await new Promise((resolve, reject) => {
    let out = "";
    server.on("error", reject);
    server.on("close", () => reject(new Error(`the server ended:\n${out}`)));
    server.stdout.on("data", (text) => {
      out += text;
      const found = /Server available on: (http\S+)/.exec(out);
      if (found) resolve(found[1]);
    });
  });
}

async function stop() {
  if (server.exitCode !== null) return;
  const closed = new Promise((resolve) => server.on("close", resolve));
  server.kill();
  await closed;
}

/** A request that must succeed. */
async function ask(method, path, body) {
  const response = await send(url, method, path, body);
  if (response.status < 300) return response;
  throw new Error(`${method} ${path}: ${response.status} ${response.text.slice(0, 300)}`);
}

/** Waits for the operation that `begin` started, below the same path (`""`: the server's own operations). */
async function operation(base, begin) {
  const { OperationId } = begin.json;
  for (;;) {
    const { Status, Result } = (await ask("GET", `${base}/operations/state?id=${OperationId}`)).json;
    if (Status === "Completed") return;
    if (Status !== "InProgress") throw new Error(`${Status}: ${Result?.Message}`);
    await sleep(100);
  }
}

/** Not checked: 6.2.4 and 5.4.0 on .NET 10 create the database but respond with 500. */
const create = (db) =>
  send(url, "PUT", `/admin/databases?name=${db}&replicationFactor=1`, { DatabaseName: db });
const toggle = (db, what) => ask("POST", `/admin/databases/${what}`, { DatabaseNames: [db] });

function remove(db, HardDelete) {
  const body = { DatabaseNames: [db], HardDelete, TimeToWaitForConfirmation: "00:00:15" };
  return ask("DELETE", "/admin/databases", body);
}

async function backup(db, BackupType) {
  const FolderPath = join(root, `${db}-backup`);
  const LocalSettings = { FolderPath };
  const begin = await ask("POST", `/databases/${db}/admin/backup`, { BackupType, LocalSettings });
  await operation(`/databases/${db}`, begin);
  return join(FolderPath, readdirSync(FolderPath)[0]);
}

async function restore(DatabaseName, BackupLocation) {
  const body = { Type: "Local", DatabaseName, BackupLocation };
  await operation("", await ask("POST", "/admin/restore/database", body));
}

/** Export and import (the smuggler), with binary and multipart bodies. */
async function smuggle(db, what, body) {
  const response = await fetch(`${url}/databases/${db}/smuggler/${what}`, { method: "POST", body });
  const received = await response.blob();
  if (!response.ok) throw new Error(`${what}: ${response.status} ${await received.text()}`);
  return received;
}

const dump = (db) => smuggle(db, "export", "{}");

function load(db, file) {
  const form = new FormData();
  form.append("importOptions", "{}");
  form.append("file", file, "x.ravendbdump");
  return smuggle(db, "import", form);
}

/** A copy of the data folder, made while the server is stopped. */
async function copyAway(folder) {
  await stop();
  cpSync(join(data, folder), copied, { recursive: true });
  await start();
}

async function putBack(folder) {
  await stop();
  rmSync(join(data, folder), { recursive: true });
  cpSync(copied, join(data, folder), { recursive: true });
  rmSync(copied, { recursive: true });
  await start();
}

/**
 * `before` runs while `Max` is 32, `back` after 33-64 was leased. If `back` returns another database, that one is
 * queried.
 */
const KINDS = [
  {
    kind: "server restart",
    async back() {
      await stop();
      await start();
    },
  },
  {
    kind: "disable, enable",
    async back(db) {
      await toggle(db, "disable");
      await toggle(db, "enable");
    },
  },
  ...[false, true].map((hard) => ({
    kind: `${hard ? "hard" : "soft"} delete, recreate`,
    async back(db) {
      await remove(db, hard);
      await create(db);
    },
  })),
  ...["Backup", "Snapshot"].map((type) => ({
    kind: `${type}, hard delete, restore`,
    before: (db) => backup(db, type),
    async back(db, folder) {
      await remove(db, true);
      await restore(db, folder);
    },
  })),
  {
    kind: "Backup, restore under another name",
    before: (db) => backup(db, "Backup"),
    async back(db, folder) {
      await restore(`${db}-b`, folder);
      return `${db}-b`;
    },
  },
  {
    kind: "export, import into the same database",
    before: dump,
    async back(db, file) {
      await load(db, file);
    },
  },
  {
    kind: "export, import into a new database",
    before: dump,
    async back(db, file) {
      await create(`${db}-b`);
      await load(`${db}-b`, file);
      return `${db}-b`;
    },
  },
  {
    kind: "export, hard delete, recreate, import",
    before: dump,
    async back(db, file) {
      await remove(db, true);
      await create(db);
      await load(db, file);
    },
  },
  {
    kind: "DELETE of the counter",
    async back(db) {
      await ask("DELETE", `/databases/${db}/${COUNTER}`);
    },
  },
  {
    kind: "PUT of Max 32",
    async back(db) {
      const counter = { Max: 32, "@metadata": { "@collection": "@hilo" } };
      await ask("PUT", `/databases/${db}/${COUNTER}`, counter);
    },
  },
  {
    kind: "the database's folder put back",
    before: (db) => copyAway(`Databases/${db}`),
    back: (db) => putBack(`Databases/${db}`),
  },
  { kind: "the whole data folder put back", before: () => copyAway("."), back: () => putBack(".") },
];

/** Lease and fence, as the package requests them. */
async function lease(db) {
  const Requests = [
    { Url: `/databases/${db}/hilo/next`, Query: "?tag=orders", Method: "GET" },
    { Url: `/databases/${db}/docs`, Query: "?id=Raven%2FHilo%2Forders", Method: "GET" },
  ];
  const [granted, read] = (await ask("POST", `/databases/${db}/multi_get`, { Requests })).json.Results;
  const { Low, High } = granted.Result;
  const { "@change-vector": vector, "@last-modified": modified } = read.Result.Results[0]["@metadata"];
  return { low: Low, high: High, vector, fence: `${vector} ${modified}` };
}

/** The package's return of all numbers above `last`. */
async function giveBack(db, { fence, high }, last) {
  const Patch = { Script: MOVE_SCRIPT, Values: { fence, high, last } };
  const Commands = [{ Type: "PATCH", Id: "Raven/Hilo/orders", ChangeVector: null, Patch }];
  return (await ask("POST", `/databases/${db}/bulk_docs`, { Commands })).json.Results[0].PatchStatus;
}

/** The status of saving new documents that must not exist yet. */
async function save(db, low, high) {
  const Document = { "@metadata": { "@collection": "Orders" } };
  const Commands = [];
  for (let number = low; number <= high; number++) {
    Commands.push({ Type: "PUT", Id: `orders/${number}-A`, ChangeVector: "", Document });
  }
  return (await send(url, "POST", `/databases/${db}/bulk_docs`, { Commands })).status;
}

async function state(db) {
  // Two ids, because a single missing one would be a 404.
  const response = await ask("GET", `/databases/${db}/${COUNTER}&id=none`);
  return { incarnation: response.headers.get("Database-Cluster-Tx-Id"), max: response.json.Results[0]?.Max };
}

/** A client holds 33-64 and has saved 33 to 40 when the database is rolled back; then another client leases first. */
async function measure({ before, back }, db) {
  await create(db);
  await lease(db);
  const point = await before?.(db);
  const own = await lease(db);
  await save(db, 33, 40);
  const { incarnation } = await state(db);
  const later = (await back(db, point)) ?? db;
  const after = await state(later);
  const first = await lease(later);
  const returned = await giveBack(later, own, 40);
  const second = await lease(later);
  return [
    after.incarnation === incarnation ? "same" : "another",
    `Max ${after.max ?? "gone"}`,
    `${first.low}-${first.high}, then ${second.low}-${second.high}`,
    `${first.vector === own.vector ? "same" : "another"} vector`,
    `return under the old fence: ${returned}`,
    `the other saves its range: ${await save(later, first.low, first.high)}`,
    `this one saves 41: ${await save(later, 41, 41)}`,
  ].join(" | ");
}

try {
  await start();
  console.log(`RavenDB ${(await ask("GET", "/build/version")).json.FullVersion}`);
  for (const [position, steps] of KINDS.entries()) {
    const row = await measure(steps, `db${position}`).catch((error) => error.message);
    console.log(`${steps.kind} | ${row}`);
  }
} finally {
  await stop();
  rmSync(root, { recursive: true, force: true });
}
