// The response to a save is lost: new documents under HiLo ids are read back; for all others the outcome is unknown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { isSave } from "../support/proxy.mjs";
import {
  counter,
  document,
  missing,
  onServers,
  order,
  ravendb,
  send,
  shardedDatabase,
} from "../support/server.mjs";
import { failure, open, prepared } from "../support/store.mjs";

/** A rule of the proxy: applies `rule` (by default the response is lost) to requests of this kind. */
const lose =
  (kind, rule = "lose") =>
  (request) =>
    kind(request) ? rule : undefined;

for (const [how, rule] of [
  ["the connection ends", "lose"],
  ["only the first 10 bytes of the response arrive", { cut: 10 }],
]) {
  onServers(
    `a save of new documents under HiLo ids succeeds despite a lost response: ${how}`,
    async (t, server) => {
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
    },
  );
}

const isBatch = ({ path }) => path.endsWith("bulk_docs");

const onRavenDb = (name, run) =>
  test(name, { skip: missing(ravendb), timeout: 60_000 }, (t) => run(t, ravendb));

/** Responses of proxies that lost RavenDB's response: of dev servers, and of the gateway. */
const RESPONSES_OF_PROXIES = {
  "an empty 500": { status: 500, body: "" },
  "the gateway's 502": {
    status: 502,
    body: '{"Type":"RavenEdge.Gateway.UpstreamUnreachable","Message":"RavenDB cannot be reached"}',
  },
};

for (const [what, reported] of Object.entries(RESPONSES_OF_PROXIES)) {
  onServers(
    `new documents are read back if a proxy reports a lost response with ${what}`,
    async (t, server) => {
      const { name, wire, session } = await prepared(t, server);
      wire.change = (response, request) => {
        if (isSave(request)) Object.assign(response, { ...reported, body: Buffer.from(reported.body) });
      };
      const entity = order({ n: 1 });
      await session.store(entity);
      await session.saveChanges();
      const saved = await document(server, name, entity.id);
      assert.equal(session.advanced.getChangeVectorFor(entity), saved["@metadata"]["@change-vector"]);
      await session.store(order({ n: 2 }), "orders/mine");
      const error = await failure(session.saveChanges());
      assert.deepEqual(
        [error.code, error.outcome, error.status],
        ["OutcomeUnknown", "unknown", reported.status],
      );
      assert.equal((await document(server, name, "orders/mine")).n, 2);
    },
  );
}

onServers("a save that did not arrive is an error, and the next save sends it", async (t, server) => {
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
  "an entity that is evicted while a lost save is read back does not make the next save fail",
  async (t, server) => {
    const { name, wire, session } = await prepared(t, server);
    const [evicted, kept] = [order({ n: 1 }), order({ n: 2 })];
    await session.store(evicted);
    await session.store(kept);
    const isRead = ({ method, path }) => method === "POST" && path.endsWith("/docs");
    wire.rule = (request) => (isSave(request) || isRead(request) ? "lose" : undefined);
    assert.equal((await failure(session.saveChanges())).code, "OutcomeUnknown");
    wire.rule = (request) => {
      if (isRead(request)) session.advanced.evict(evicted);
    };
    await session.saveChanges();
    assert.equal(wire.of(isSave).length, 1, "both are saved already");
    assert.equal(session.advanced.getDocumentId(evicted), null);
    assert.equal((await document(server, name, kept.id)).n, 2);
  },
);

onServers("a save to an unreachable server reports that nothing was saved", async (t, server) => {
  const { wire, session } = await prepared(t, server);
  await session.store(order());
  await wire.off();
  await setTimeout(100);
  const error = await failure(session.saveChanges());
  assert.equal(error.outcome, "not saved");
});

/** Batches whose outcome is unknown although the server has executed them. */
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
  onServers(
    `a lost save with ${what} has an unknown outcome, and saving again is safe`,
    async (t, server) => {
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
    },
  );
}

onServers(
  "if saving again could store a document twice, the error says to look for it first",
  async (t, server) => {
    const { wire, session } = await prepared(t, server);
    await session.store(order(), "orders/");
    wire.rule = lose(isSave);
    const error = await failure(session.saveChanges());
    assert.deepEqual([error.code, error.outcome], ["OutcomeUnknown", "unknown"]);
    assert.match(error.message, /look for the changes/);
  },
);

onServers(
  "another client's document under the same id is not mistaken for this session's",
  async (t, server) => {
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
  },
);

onServers("if reading back fails too, the next save resolves the outcome first", async (t, server) => {
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
  assert.deepEqual(sent, ["orders/1-A", "orders/3-A"], "saved documents are not sent again");
  for (const entity of [...entities, late])
    assert.equal((await document(server, name, entity.id)).n, entity.n);
});

onServers("after an unknown outcome and a refresh the next save sends nothing", async (t, server) => {
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
});

/** Sends the request to the server, as if it had arrived late. */
const arrive = (server, { path, query, body }) => send(server.url, "POST", `${path}?${query}`, body);

onServers(
  "a deletion of a document that may still arrive is sent until the server responds",
  async (t, server) => {
    const { name, wire, session } = await prepared(t, server, { timeout: 3_000 });
    const entity = order({ n: 1 });
    await session.store(entity);
    const { id } = entity;
    wire.rule = lose(isSave, "hole");
    assert.equal((await failure(session.saveChanges())).code, "OutcomeUnknown");
    await session.delete(entity);
    wire.rule = lose(isBatch, "drop");
    assert.equal((await failure(session.saveChanges())).code, "OutcomeUnknown");
    await arrive(server, wire.of(isSave)[0]);
    assert.equal((await document(server, name, id)).n, 1);
    wire.rule = undefined;
    assert.equal(await session.load(id), null);
    await session.saveChanges();
    assert.equal(await document(server, name, id), undefined);
    assert.equal(session.advanced.hasChanges(), false);
  },
);

/** What the app does between two saves whose responses are lost. Only the first save arrives. */
const BETWEEN = {
  "the same document is changed": (_, entity) => {
    entity.n = 2;
  },
  "another one is stored": (session) => session.store(order({ n: 3 })),
  nothing: () => {},
};

for (const [what, change] of Object.entries(BETWEEN)) {
  onServers(
    `the first of two lost saves arrives late and is recognized; in between ${what}`,
    async (t, server) => {
      const { name, wire, session } = await prepared(t, server, { timeout: 3_000 });
      const entity = order({ n: 1 });
      await session.store(entity);
      wire.rule = lose(isSave, "hole");
      assert.equal((await failure(session.saveChanges())).code, "OutcomeUnknown");
      await change(session, entity);
      wire.rule = lose(isSave, "drop");
      assert.match((await failure(session.saveChanges())).message, /saving again is safe/);
      await arrive(server, wire.of(isSave)[0]);
      wire.rule = undefined;
      await session.saveChanges();
      assert.equal(session.advanced.hasChanges(), false);
      for (const { entity: each } of session.advanced.getTrackedEntities().values())
        assert.equal((await document(server, name, each.id)).n, each.n);
    },
  );
}

onServers("an earlier save that arrives just before the next one causes no conflict", async (t, server) => {
  const { name, wire, session } = await prepared(t, server, { timeout: 3_000 });
  const entity = order({ n: 1 });
  await session.store(entity);
  wire.rule = lose(isSave, "hole");
  assert.equal((await failure(session.saveChanges())).code, "OutcomeUnknown");
  entity.n = 2;
  wire.rule = async (request) => {
    if (isSave(request) && wire.of(isSave).length === 2) await arrive(server, wire.of(isSave)[0]);
  };
  await session.saveChanges();
  assert.equal((await document(server, name, entity.id)).n, 2);
});

/** Changes that are sent with a change vector although the app does not use optimistic concurrency. */
const CHECKED = {
  "a saved document under a HiLo id": {},
  "a document of a cluster-wide transaction": { transactionMode: "ClusterWide" },
};

for (const [what, options] of Object.entries(CHECKED)) {
  const servers = options.transactionMode ? onRavenDb : onServers;
  servers(`after a lost save of a change of ${what} the app has to refresh it first`, async (t, server) => {
    const { name, wire, store } = await prepared(t, server);
    const session = store.openSession(options);
    const entity = order({ n: 1 });
    await session.store(entity);
    await session.saveChanges();
    entity.n = 2;
    wire.rule = lose(isSave);
    const error = await failure(session.saveChanges());
    assert.equal(error.code, "OutcomeUnknown");
    assert.match(error.message, /refresh/);
    assert.doesNotMatch(error.message, /saving again is safe/);
    wire.rule = undefined;
    const refused = await failure(session.saveChanges());
    assert.deepEqual(
      [refused.code, refused.outcome],
      ["Concurrency", "unknown"],
      "the session's own change may have caused the conflict",
    );
    await session.advanced.refresh(entity);
    assert.equal(session.advanced.hasChanges(), false);
    entity.n = 3;
    await session.saveChanges();
    assert.equal((await document(server, name, entity.id)).n, 3);
  });
}

onServers(
  "an earlier version that is found does not prove a save whose response is lost",
  async (t, server) => {
    const { name, wire, session } = await prepared(t, server);
    const entity = order({ n: 1 });
    await session.store(entity);
    wire.rule = lose(isSave, "drop");
    assert.equal((await failure(session.saveChanges())).code, "OutcomeUnknown");
    entity.n = 2;
    wire.rule = async (request) => {
      if (!isSave(request)) return;
      await arrive(server, wire.of(isSave)[0]);
      return "lose";
    };
    assert.equal((await failure(session.saveChanges())).code, "OutcomeUnknown");
    assert.equal((await document(server, name, entity.id)).n, 1);
    wire.rule = undefined;
    await session.saveChanges();
    assert.equal((await document(server, name, entity.id)).n, 2);
  },
);

onServers("an entity for which the server may have generated an id cannot be deleted", async (t, server) => {
  const { wire, session } = await prepared(t, server);
  const entity = order();
  await session.store(entity, "orders/");
  wire.rule = lose(isSave);
  assert.equal((await failure(session.saveChanges())).code, "OutcomeUnknown");
  await session.delete(entity);
  const error = await failure(session.saveChanges());
  assert.equal(error.code, "InvalidOperation");
  assert.match(error.message, /look for it/);
  session.advanced.evict(entity);
  await session.saveChanges();
});

onServers("a save that a proxy sends twice succeeds with the second response", async (t, server) => {
  const { name, wire, session } = await prepared(t, server);
  const entity = order({ n: 1 });
  await session.store(entity);
  wire.rule = async (request) => {
    if (isSave(request)) await arrive(server, request);
  };
  await session.saveChanges();
  assert.equal((await document(server, name, entity.id)).n, 1);
  assert.equal(session.advanced.hasChanges(), false);
});

onRavenDb(
  "after a conflict in a sharded database the next save stores every document once",
  async (t, server) => {
    const name = await shardedDatabase(t);
    const session = open(t, server.url, name).openSession();
    const entities = Array.from({ length: 8 }, (_, n) => order({ n }));
    for (const entity of entities) await session.store(entity);
    const [taken, ...others] = entities;
    await send(server.url, "PUT", `/databases/${name}/docs?id=${taken.id}`, order({ n: "theirs" }));
    const error = await failure(session.saveChanges());
    assert.deepEqual([error.code, error.id], ["Concurrency", taken.id]);
    session.advanced.evict(taken);
    taken.id = undefined;
    await session.store(taken);
    await session.saveChanges();
    for (const entity of [taken, ...others])
      assert.equal((await document(server, name, entity.id)).n, entity.n);
  },
);
