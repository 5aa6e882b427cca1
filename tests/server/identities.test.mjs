// Identities: numbers that the cluster counts, by commands and operations. A call counts once, however often it is
// sent.
import assert from "node:assert/strict";
import {
  GetIdentitiesOperation,
  NextIdentityForCommand,
  NextIdentityForOperation,
  PutDocumentCommand,
  SeedIdentityForCommand,
  SeedIdentityForOperation,
} from "../../pkg/lib/entries/node.js";
import { document, onServers } from "../support/server.mjs";
import { failure, prepared } from "../support/store.mjs";

const isIdentity = ({ path }) => /\/identity\/(next|seed)$/.test(path);
const COMPANY = { "@metadata": { "@collection": "Companies" } };

/** A store behind a proxy; `run` executes a command and returns its result. */
async function commanding(t, server, options) {
  const { name, wire, store, session } = await prepared(t, server, options);
  const executor = session.advanced.getRequestExecutor();
  const run = async (command) => {
    await executor.execute(command);
    return command.result;
  };
  return { name, wire, store, run };
}

/** Loses the response to the first request of a kind. */
function loseOne(wire, kind) {
  let lost = false;
  wire.rule = (request) => {
    if (lost || !kind(request)) return;
    lost = true;
    return "lose";
  };
}

onServers("NextIdentityForCommand returns the number for a document's id", async (t, server) => {
  const { name, run } = await commanding(t, server);
  for (const expected of [1, 2]) {
    const identity = await run(new NextIdentityForCommand("companies"));
    assert.equal(identity, expected);
    await run(new PutDocumentCommand(`companies/${identity}`, null, COMPANY));
  }
  assert.equal((await document(server, name, "companies/2"))["@metadata"]["@collection"], "Companies");
  const { id } = await run(new PutDocumentCommand("companies|", null, COMPANY));
  assert.equal(id, "companies/3", "the id with a pipe gets the next number");
  assert.equal(
    await run(new NextIdentityForCommand("Companies|")),
    4,
    "in any case, with or without the pipe",
  );
});

onServers("SeedIdentityForCommand raises the number, and lowers it only with force", async (t, server) => {
  const { run } = await commanding(t, server);
  assert.equal(await run(new SeedIdentityForCommand("companies", 1994)), 1994);
  assert.equal(await run(new NextIdentityForCommand("companies")), 1995);
  assert.equal(await run(new SeedIdentityForCommand("companies", 10)), 1995, "the higher number stays");
  assert.equal(await run(new SeedIdentityForCommand("companies", 10, false)), 1995);
  assert.equal(await run(new NextIdentityForCommand("companies")), 1996);
  assert.equal(await run(new SeedIdentityForCommand("companies", 10, true)), 10);
  assert.equal(await run(new NextIdentityForCommand("companies")), 11);
});

onServers("the operations return the same as the commands; each send counts", async (t, server) => {
  const { store } = await commanding(t, server);
  const next = new NextIdentityForOperation("companies");
  assert.equal(await store.maintenance.send(next), 1);
  assert.equal(await store.maintenance.send(next), 2);
  assert.equal(await store.maintenance.send(new SeedIdentityForOperation("orders", 100)), 100);
  assert.equal(await store.maintenance.send(new SeedIdentityForOperation("orders", 5)), 100);
  assert.equal(await store.maintenance.send(new SeedIdentityForOperation("orders", 5, true)), 5);
  assert.deepEqual(await store.maintenance.send(new GetIdentitiesOperation()), {
    "companies|": 2,
    "orders|": 5,
  });
});

onServers("a lost response skips no number", async (t, server) => {
  const { wire, store, run } = await commanding(t, server);
  loseOne(wire, isIdentity);
  assert.equal(await run(new NextIdentityForCommand("companies")), 1);
  loseOne(wire, isIdentity);
  assert.equal(await store.maintenance.send(new NextIdentityForOperation("companies")), 2);
  loseOne(wire, isIdentity);
  assert.equal(await run(new SeedIdentityForCommand("companies", 10)), 10);
  wire.rule = undefined;
  assert.equal(await run(new NextIdentityForCommand("companies")), 11);
  const ids = wire.of(isIdentity).map(({ query }) => query.get("raft-request-id"));
  assert.equal(ids.length, 7, "three were sent twice");
  assert.equal(new Set(ids).size, 4, "under one id per call");
  for (const id of ids) assert.match(id, /^[0-9a-f]{32}$/);
});

onServers("concurrent calls get each number once", async (t, server) => {
  const { store } = await commanding(t, server);
  const next = () => store.maintenance.send(new NextIdentityForOperation("companies"));
  const numbers = await Promise.all(Array.from({ length: 20 }, next));
  assert.deepEqual(
    numbers.sort((a, b) => a - b),
    numbers.map((_, i) => i + 1),
  );
});

onServers("invalid arguments are refused unsent", async (t, server) => {
  const { wire } = await commanding(t, server);
  const refused = (make) =>
    assert.throws(make, { code: "InvalidArgument", name: "InvalidArgumentException" });
  for (const name of [undefined, null, "", " ", 5]) {
    for (const Type of [NextIdentityForCommand, NextIdentityForOperation]) refused(() => new Type(name));
    for (const Type of [SeedIdentityForCommand, SeedIdentityForOperation]) refused(() => new Type(name, 1));
  }
  for (const value of [undefined, null, 1.5, "5", Number.NaN, 2 ** 53])
    refused(() => new SeedIdentityForCommand("companies", value));
  assert.equal(wire.requests.length, 0);
});

onServers("an unreachable server is an error; the same command can be executed again", async (t, server) => {
  const { wire, run } = await commanding(t, server);
  const command = new NextIdentityForCommand("companies");
  await wire.off();
  const error = await failure(run(command));
  assert.equal(error.code, "Unreachable");
  assert.equal(command.result, null);
  await wire.on();
  assert.equal(await run(command), 1);
});
