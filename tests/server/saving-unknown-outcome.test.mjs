// A save whose outcome is unknown: what the session knows afterwards, and what it does when it saves again.
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { isSave } from "../support/proxy.mjs";
import { document, onServers, order, putDocument, send } from "../support/server.mjs";
import { failure, open, prepared } from "../support/store.mjs";

const lose = (wire) => {
  wire.rule = (request) => (isSave(request) ? "lose" : undefined);
};
const loseAndBlind = (wire) => {
  wire.rule = (request) =>
    isSave(request) ? "lose" : request.path.endsWith("/docs") ? { status: 500, body: "{}" } : undefined;
};

const stored = async (server, name) =>
  (await send(server.url, "GET", `/databases/${name}/docs?startsWith=orders/`)).json.Results;

onServers(
  "a save that arrives after its timeout is recognised and does not conflict with itself",
  async (t, server) => {
    const { name, wire, session } = await prepared(t, server, { timeout: 3_000 });
    const entity = order({ n: 1 });
    await session.store(entity);
    wire.rule = (request) => (isSave(request) ? setTimeout(6_000) : undefined);
    const error = await failure(session.saveChanges());
    assert.notEqual(error.outcome, "not saved", "the outcome is unknown after a timeout");
    wire.rule = undefined;
    let arrived;
    while (!arrived) arrived = await document(server, name, entity.id);
    assert.ok(arrived, "the save arrives after the timeout");
    await session.saveChanges();
  },
);

onServers("after a 408 a document with an id of the server is not stored twice", async (t, server) => {
  const { name, session } = await prepared(t, server);
  const entity = order({ n: 1 });
  await session.store(entity, "orders/");
  session.advanced.waitForReplicationAfterSaveChanges({ replicas: 1, timeout: 300 });
  await failure(session.saveChanges());
  entity.n = 2;
  await session.saveChanges().catch(() => {});
  assert.equal((await stored(server, name)).length, 1, "the document is not stored a second time");
});

onServers(
  "a lost response to a save with an id of the server does not claim that saving again is safe",
  async (t, server) => {
    const { name, wire, session } = await prepared(t, server);
    await session.store(order(), "orders/");
    lose(wire);
    const error = await failure(session.saveChanges());
    wire.rule = undefined;
    await session.saveChanges().catch(() => {});
    assert.ok((await stored(server, name)).length === 1 || !/saving again is safe/.test(error.message));
  },
);

onServers(
  "after an unknown outcome, evicting one of two documents does not affect the other",
  async (t, server) => {
    const { wire, session } = await prepared(t, server);
    const entities = [order({ n: 1 }), order({ n: 2 })];
    for (const entity of entities) await session.store(entity);
    loseAndBlind(wire);
    await failure(session.saveChanges());
    wire.rule = undefined;
    session.advanced.evict(entities[1]);
    await session.saveChanges();
  },
);

onServers(
  "a session whose save of a new document and a deletion got lost can save again",
  async (t, server) => {
    const { name, wire, session } = await prepared(t, server);
    await putDocument(server, name, "orders/old", '{"n":0}');
    await session.store(order({ n: 1 }));
    await session.delete("orders/old");
    lose(wire);
    await failure(session.saveChanges());
    wire.rule = undefined;
    await session.saveChanges();
  },
);

for (const [who, response] of [
  ["a proxy's page", { status: 408, body: "<html>Request Timeout</html>" }],
  [
    "a cluster-wide transaction",
    { status: 408, body: '{"Type":"System.TimeoutException","Message":"late"}' },
  ],
])
  onServers(`408 of ${who} means that the outcome is unknown`, async (t, server) => {
    const { name, wire, session } = await prepared(t, server);
    const entity = order({ n: 1 });
    await session.store(entity, "orders/mine");
    wire.rule = (request) => (isSave(request) ? response : undefined);
    const error = await failure(session.saveChanges());
    assert.deepEqual([error.code, error.outcome], ["OutcomeUnknown", "unknown"]);
    wire.rule = undefined;
    await session.saveChanges();
    assert.equal((await document(server, name, "orders/mine")).n, 1);
  });

onServers(
  "a 524 of a proxy is treated as a lost response, and the document is read back",
  async (t, server) => {
    const { wire, session } = await prepared(t, server);
    await session.store(order({ n: 1 }));
    wire.rule = (request) => (isSave(request) ? { status: 524, body: "<html>late</html>" } : undefined);
    assert.equal((await failure(session.saveChanges())).code, "OutcomeUnknown");
    wire.rule = undefined;
    await session.saveChanges();
  },
);

onServers("a save with a lost response goes to the next node when it is repeated", async (t, server) => {
  const { name, wire } = await prepared(t, server);
  wire.rule = () => "lose";
  const store = open(t, [wire.url, server.url], name);
  const session = store.openSession();
  await session.store(order({ n: 1 }), "orders/mine");
  const error = await failure(session.saveChanges());
  assert.equal(error.outcome, "unknown");
  await session.saveChanges();
  assert.equal(wire.of(isSave).length, 1);
  assert.equal((await document(server, name, "orders/mine")).n, 1);
});
