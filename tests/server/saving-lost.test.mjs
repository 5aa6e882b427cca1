// The answer to a save is lost: what is only new under ids of ours is read back; of all else the outcome is unknown.
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { isSave } from "../support/proxy.mjs";
import { counter, document, onServers, order, send } from "../support/server.mjs";
import { failure, prepared } from "../support/store.mjs";

/** Another client's database, and a session behind a proxy that may lose answers. */
const lose =
  (kind, rule = "lose") =>
  (request) =>
    kind(request) ? rule : undefined;

for (const [how, rule] of [
  ["the connection ends", "lose"],
  ["half of it comes", { cut: 10 }],
]) {
  onServers(`new documents under HiLo ids are saved all the same: ${how}`, async (t, server) => {
    const { name, wire, session } = await prepared(t, server);
    const entities = [order({ n: 1, at: new Date(0), deep: [{ x: null }] }), order({ n: 2 })];
    for (const entity of entities) await session.store(entity);
    wire.rule = lose(isSave, rule);
    await session.saveChanges();
    assert.equal(wire.of(isSave).length, 1, "sent once");
    assert.equal(session.advanced.hasChanges(), false);
    for (const entity of entities) {
      const saved = await document(server, name, entity.id);
      assert.equal(session.advanced.getChangeVectorFor(entity), saved["@metadata"]["@change-vector"]);
    }
    wire.rule = undefined;
    entities[0].n = 3;
    await session.saveChanges();
    assert.equal((await document(server, name, entities[0].id)).n, 3);
  });
}

/** How those in between tell that they lost an answer: dev servers, and the gateway. */
const TOLD = {
  "an empty 500": { status: 500, body: "" },
  "the gateway's 502": {
    status: 502,
    body: '{"Type":"RavenEdge.Gateway.UpstreamUnreachable","Message":"RavenDB cannot be reached"}',
  },
};

for (const [what, told] of Object.entries(TOLD)) {
  onServers(`who is in between has lost the answer, and says so with ${what}`, async (t, server) => {
    const { name, wire, session } = await prepared(t, server);
    wire.change = (answer, request) => {
      if (isSave(request)) Object.assign(answer, { ...told, body: Buffer.from(told.body) });
    };
    const entity = order({ n: 1 });
    await session.store(entity);
    await session.saveChanges();
    const saved = await document(server, name, entity.id);
    assert.equal(session.advanced.getChangeVectorFor(entity), saved["@metadata"]["@change-vector"]);
    await session.store(order({ n: 2 }), "orders/mine");
    const error = await failure(session.saveChanges());
    assert.deepEqual([error.code, error.outcome, error.status], ["OutcomeUnknown", "unknown", told.status]);
    assert.equal((await document(server, name, "orders/mine")).n, 2);
  });
}

onServers("what did not arrive is an error, and saved the next time", async (t, server) => {
  const { name, wire, session } = await prepared(t, server);
  const entity = order({ n: 1 });
  await session.store(entity);
  wire.rule = lose(isSave, "drop");
  const error = await failure(session.saveChanges());
  assert.notEqual(error.outcome, "saved");
  wire.rule = undefined;
  await session.saveChanges();
  assert.equal((await document(server, name, entity.id)).n, 1);
  assert.equal(await counter(server, name, "orders"), 32);
});

onServers(
  "what is evicted while a lost save is looked for is not taken for somebody's",
  async (t, server) => {
    const { name, wire, session } = await prepared(t, server, { timeout: 1_000 });
    const [gone, kept] = [order({ n: 1 }), order({ n: 2 })];
    await session.store(gone);
    await session.store(kept);
    const isRead = ({ method, path }) => method === "POST" && path.endsWith("/docs");
    wire.rule = (request) => (isSave(request) || isRead(request) ? "lose" : undefined);
    assert.equal((await failure(session.saveChanges())).code, "OutcomeUnknown");
    wire.rule = (request) => {
      if (isRead(request)) session.advanced.evict(gone);
    };
    const error = await failure(session.saveChanges());
    assert.equal(error.code, "Concurrency", "the other one is there already");
    assert.equal((await document(server, name, kept.id)).n, 2);
  },
);

onServers("a server that is off has saved nothing, and says so", async (t, server) => {
  const { wire, session } = await prepared(t, server, { timeout: 1_000 });
  await session.store(order());
  await wire.off();
  await setTimeout(100);
  const error = await failure(session.saveChanges());
  assert.equal(error.outcome, "not saved");
});

/** Batches whose outcome nobody can know, though the server has carried them out. */
const UNKNOWN = {
  "a semantic id": (session) => session.store(order({ n: 1 }), "orders/mine"),
  "a changed document": async (session) => {
    (await session.load("orders/old")).n = 1;
  },
  "a deletion among new ones": async (session) => {
    await session.store(order());
    await session.delete("orders/old");
  },
};

for (const [what, prepare] of Object.entries(UNKNOWN)) {
  onServers(`with ${what} the outcome is unknown, and saving again is safe`, async (t, server) => {
    const { name, wire, session } = await prepared(t, server);
    await send(server.url, "PUT", `/databases/${name}/docs?id=orders/old`, order({ n: 0 }));
    await prepare(session);
    wire.rule = lose(({ path }) => path.endsWith("bulk_docs"));
    const error = await failure(session.saveChanges());
    assert.equal(error.code, "OutcomeUnknown");
    assert.equal(error.outcome, "unknown");
    assert.match(error.message, /refresh.*saving again is safe/);
    assert.equal(error.cause.code, "Unreachable");
    assert.equal(session.advanced.hasChanges(), true);
    wire.rule = undefined;
    if (what.startsWith("a deletion")) return;
    await session.saveChanges();
    assert.equal(session.advanced.hasChanges(), false);
  });
}

onServers("what would come twice is to be looked for first", async (t, server) => {
  const { wire, session } = await prepared(t, server);
  await session.store(order(), "orders/");
  wire.rule = lose(isSave);
  const error = await failure(session.saveChanges());
  assert.deepEqual([error.code, error.outcome], ["OutcomeUnknown", "unknown"]);
  assert.match(error.message, /look first/);
});

onServers("what somebody else wrote under the same id is not taken for ours", async (t, server) => {
  const { name, wire, session } = await prepared(t, server);
  const entity = order({ n: 1 });
  await session.store(entity);
  wire.rule = async (request) => {
    if (!isSave(request)) return;
    await send(server.url, "PUT", `/databases/${name}/docs?id=${entity.id}`, order({ n: "theirs" }));
    return "drop";
  };
  assert.equal((await failure(session.saveChanges())).code, "OutcomeUnknown");
  wire.rule = undefined;
  assert.equal((await failure(session.saveChanges())).name, "ConcurrencyException");
  assert.equal((await document(server, name, entity.id)).n, "theirs");
});

onServers("when it cannot be read back either, the next save settles it first", async (t, server) => {
  const { name, wire, session } = await prepared(t, server);
  const entities = [order({ n: 1 }), order({ n: 2 })];
  for (const entity of entities) await session.store(entity);
  wire.rule = async (request) => {
    if (isSave(request)) return "lose";
    return request.path.endsWith("/docs") ? { status: 500, body: "{}" } : undefined;
  };
  for (let turn = 0; turn < 2; turn++) {
    const error = await failure(session.saveChanges());
    assert.deepEqual([error.code, error.outcome], ["OutcomeUnknown", "unknown"]);
  }
  wire.rule = undefined;
  entities[0].n = 3;
  const late = order({ n: 4 });
  await session.store(late);
  await session.saveChanges();
  const sent = JSON.parse(wire.of(isSave)[1].body).Commands.map(({ Id }) => Id);
  assert.deepEqual(sent, ["orders/1-A", "orders/3-A"], "what was saved is not sent again");
  for (const entity of [...entities, late])
    assert.equal((await document(server, name, entity.id)).n, entity.n);
});

onServers(
  "after an unknown outcome, refresh shows what was saved, and the next save is none",
  async (t, server) => {
    const { name, wire, session } = await prepared(t, server);
    await send(server.url, "PUT", `/databases/${name}/docs?id=orders/old`, order({ n: 0 }));
    const fresh = order({ n: 1 });
    await session.store(fresh);
    const old = await session.load("orders/old");
    session.advanced.useOptimisticConcurrency = true;
    old.n = 2;
    wire.rule = lose(isSave);
    assert.equal((await failure(session.saveChanges())).code, "OutcomeUnknown");
    wire.rule = undefined;
    await session.advanced.refresh([fresh, old]);
    assert.deepEqual([fresh.n, old.n], [1, 2]);
    assert.equal(session.advanced.hasChanges(), false);
    old.n = 3;
    await session.saveChanges();
    assert.equal((await document(server, name, "orders/old")).n, 3);
  },
);
