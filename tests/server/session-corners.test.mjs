// Corners of a session, each of which once went wrong: doubts about a save, code of the app in the middle of one, long numbers.
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { reactive } from "../support/frameworks.mjs";
import { isSave } from "../support/proxy.mjs";
import { document, onServers, order, send } from "../support/server.mjs";
import { failure, prepared } from "../support/store.mjs";

async function cornered(t, server, options) {
  const made = await prepared(t, server, options);
  const { name } = made;
  const put = (id, text) => send(server.url, "PUT", `/databases/${name}/docs?id=${id}`, text);
  const all = async () =>
    (await send(server.url, "GET", `/databases/${name}/docs?startsWith=orders/`)).json.Results;
  return { ...made, put, all };
}
const lose = (wire) => {
  wire.rule = (request) => (isSave(request) ? "lose" : undefined);
};
const loseAndBlind = (wire) => {
  wire.rule = (request) =>
    isSave(request) ? "lose" : request.path.endsWith("/docs") ? { status: 500, body: "{}" } : undefined;
};
const BIG = '{"list":[9007199254740993,1],"a":{"n":9007199254740993},"@metadata":{"@collection":"S"}}';

onServers(
  "a save that arrives after its timeout is settled, not a conflict with itself",
  async (t, server) => {
    const { name, wire, session } = await cornered(t, server, { timeout: 700 });
    const entity = order({ n: 1 });
    await session.store(entity);
    wire.rule = (request) => (isSave(request) ? setTimeout(1_500) : undefined);
    const error = await failure(session.saveChanges());
    assert.notEqual(error.outcome, "not saved", "nobody can know that after a timeout");
    wire.rule = undefined;
    let arrived;
    while (!arrived) arrived = await document(server, name, entity.id);
    assert.ok(arrived, "it has arrived");
    await session.saveChanges();
  },
);

onServers("408: ids that the server made are learned, or told as unknown", async (t, server) => {
  const { session, all } = await cornered(t, server);
  const entity = order({ n: 1 });
  await session.store(entity, "orders/");
  session.advanced.waitForReplicationAfterSaveChanges({ replicas: 1, timeout: 300 });
  await failure(session.saveChanges());
  entity.n = 2;
  await session.saveChanges().catch(() => {});
  assert.equal((await all()).length, 1, "no second document");
});

onServers("a lost answer to a server-side id: saving again is not called safe", async (t, server) => {
  const { wire, session, all } = await cornered(t, server);
  await session.store(order(), "orders/");
  lose(wire);
  const error = await failure(session.saveChanges());
  wire.rule = undefined;
  await session.saveChanges().catch(() => {});
  assert.ok((await all()).length === 1 || !/saving again is safe/.test(error.message));
});

onServers("in doubt, one of two evicted: the other one is still settled", async (t, server) => {
  const { wire, session } = await cornered(t, server);
  const entities = [order({ n: 1 }), order({ n: 2 })];
  for (const entity of entities) await session.store(entity);
  loseAndBlind(wire);
  await failure(session.saveChanges());
  wire.rule = undefined;
  session.advanced.evict(entities[1]);
  await session.saveChanges();
});

onServers("new with a deletion, answer lost: the same session saves again", async (t, server) => {
  const { wire, session, put } = await cornered(t, server);
  await put("orders/old", '{"n":0}');
  await session.store(order({ n: 1 }));
  await session.delete("orders/old");
  lose(wire);
  await failure(session.saveChanges());
  wire.rule = undefined;
  await session.saveChanges();
});

onServers("code that evicts its own entity while it is saved leaves no stray document", async (t, server) => {
  const { name, session } = await cornered(t, server);
  let armed = false;
  const entity = order();
  const get = () => {
    if (armed) session.advanced.evict(entity);
    return 1;
  };
  Object.defineProperty(entity, "n", { enumerable: true, get });
  await session.store(entity);
  armed = true;
  await session.saveChanges().catch(() => {});
  const { json } = await send(server.url, "GET", `/databases/${name}/docs?start=0&pageSize=9`);
  const ids = json.Results.map((found) => found["@metadata"]["@id"]);
  assert.deepEqual(
    ids.filter((id) => !/^(Raven\/|orders\/)/.test(id)),
    [],
    "a PUT with an empty id is a GUID",
  );
});

for (const what of ["evict", "clear"])
  onServers(`code that calls ${what} while another is saved: no bare TypeError`, async (t, server) => {
    const { session } = await cornered(t, server);
    const [entity, other] = [order(), order()];
    let armed = false;
    const get = () => {
      if (armed) session.advanced[what](other);
      return 1;
    };
    Object.defineProperty(entity, "n", { enumerable: true, get });
    await session.store(entity);
    await session.store(other);
    armed = true;
    const outcome = await session.saveChanges().catch((error) => error);
    assert.ok(!(outcome instanceof TypeError), String(outcome));
  });

onServers(
  "frozen metadata (Object.assign of Immer's next state): a save that succeeded resolves",
  async (t, server) => {
    const { session, put } = await cornered(t, server);
    await put("orders/1", '{"n":0,"@metadata":{"@collection":"Orders"}}');
    const loaded = await session.load("orders/1");
    Object.assign(loaded, { n: 1, "@metadata": Object.freeze({ ...loaded["@metadata"] }) });
    await session.saveChanges();
  },
);

onServers("getMetadataFor a frozen entity", async (t, server) => {
  const { session } = await cornered(t, server);
  const entity = Object.freeze({ n: 1, "@metadata": Object.freeze({ "@collection": "Orders" }) });
  await session.store(entity);
  await session.saveChanges();
  assert.equal(session.advanced.getMetadataFor(entity)["@id"], "orders/1-A");
});

onServers("an effect that throws as the id is shown does not keep others from theirs", async (t, server) => {
  const { session } = await cornered(t, server);
  let strict = false;
  const entity = reactive(order(), () => {
    if (strict) throw new Error("the app's own");
  });
  const other = order();
  await session.store(entity, "orders/");
  await session.store(other, "orders/");
  strict = true;
  await session.saveChanges().catch(() => {});
  assert.notEqual(other.id, "orders/");
});

const LOSSES = {
  "moved in its list": (loaded) => loaded.list.unshift(0),
  "moved to another member": (loaded) => {
    loaded.b = loaded.a;
    loaded.list = loaded.a = undefined;
  },
};
for (const [what, change] of Object.entries(LOSSES))
  onServers(`${what}, a number does not lose digits in silence`, async (t, server) => {
    const { session, put } = await cornered(t, server);
    await put("s/1", what.startsWith("C1") ? BIG.replace(/"a":{.*?},/, "") : BIG);
    change(await session.load("s/1"));
    assert.equal((await failure(session.saveChanges())).code, "InexactNumber");
  });

onServers("a number in a Set or Map does not lose digits in silence", async (t, server) => {
  const { session, put } = await cornered(t, server);
  const types = '"@metadata":{"@collection":"S","@nested-object-types":{"s":"Set"}}';
  await put("s/1", `{"s":[9007199254740993],${types}}`);
  (await session.load("s/1")).more = 1;
  assert.equal((await failure(session.saveChanges())).code, "InexactNumber");
});

onServers("a number that refresh brought does not lose digits in silence", async (t, server) => {
  const { session, put } = await cornered(t, server);
  await put("s/1", '{"n":1,"@metadata":{"@collection":"S"}}');
  const loaded = await session.load("s/1");
  await put("s/1", '{"n":9007199254740993,"@metadata":{"@collection":"S"}}');
  await session.advanced.refresh(loaded);
  loaded.more = 1;
  assert.equal((await failure(session.saveChanges())).code, "InexactNumber");
});

onServers("a number that refresh replaced is not refused", async (t, server) => {
  const { session, put } = await cornered(t, server);
  await put("s/1", '{"n":9007199254740993,"@metadata":{"@collection":"S"}}');
  const loaded = await session.load("s/1");
  await put("s/1", '{"n":9007199254740992,"@metadata":{"@collection":"S"}}');
  await session.advanced.refresh(loaded);
  loaded.more = 1;
  await session.saveChanges();
});

onServers("short literals lose their value, too", async (t, server) => {
  const { session, put } = await cornered(t, server);
  await put("s/1", '{"n":1e-400,"@metadata":{"@collection":"S"}}');
  (await session.load("s/1")).more = 1;
  assert.equal((await failure(session.saveChanges())).code, "InexactNumber");
});

onServers("a whole number whose shortest text is itself is saved", async (t, server) => {
  const { session, put } = await cornered(t, server);
  await put("s/1", '{"n":12345678901234500000000,"@metadata":{"@collection":"S"}}');
  (await session.load("s/1")).more = 1;
  await session.saveChanges();
});

onServers("refresh of no entities sends nothing: the whole database would come", async (t, server) => {
  const { wire, session } = await cornered(t, server);
  await session.advanced.refresh([]);
  assert.equal(wire.requests.length, 0);
});

onServers("a lazy load of null is null and does not poison all later ones", async (t, server) => {
  const { session } = await cornered(t, server);
  const lazy = session.advanced.lazily.load(null);
  await lazy.getValue().catch(() => {});
  assert.equal(await session.advanced.lazily.load("orders/404").getValue(), null);
  assert.equal(await lazy.getValue(), null);
});

onServers("a lazy load says nothing of documents that it did not ask for", async (t, server) => {
  const { wire, session, put } = await cornered(t, server);
  await put("s/1", BIG);
  const known = await session.load("s/1");
  const lazies = ["s/1", "s/2"].map((id) => session.advanced.lazily.load(id));
  wire.rule = () => void session.advanced.evict(known);
  for (const lazy of lazies) assert.equal(await lazy.getValue(), null);
  wire.rule = undefined;
  assert.ok(await session.load("s/1"));
});

onServers("what onEval throws is for who waits for its value", async (t, server) => {
  const { session } = await cornered(t, server);
  const thrown = new Error("the app's own");
  const load = () =>
    session.advanced.lazily.load("s/1", undefined, () => {
      throw thrown;
    });
  const [first, other] = [load(), session.advanced.lazily.load("s/2")];
  assert.equal(await other.getValue(), null);
  assert.equal(await failure(first.getValue()), thrown);
  load();
  assert.equal(await failure(session.advanced.eagerly.executeAllPendingLazyOperations()), thrown);
});

onServers("lazy loads outlive a failure on the way, and not a clear", async (t, server) => {
  const { wire, session, put } = await cornered(t, server, { timeout: 500 });
  await put("s/1", BIG);
  const [one, none] = ["s/1", "s/2"].map((id) => session.advanced.lazily.load(id));
  wire.rule = () => "drop";
  const outcomes = await Promise.all([failure(one.getValue()), failure(none.getValue())]);
  assert.deepEqual(
    outcomes.map(({ code }) => code),
    ["Unreachable", "Unreachable"],
  );
  wire.rule = undefined;
  assert.ok(await one.getValue());
  assert.equal(none.isValueCreated(), true);
  const forgotten = session.advanced.lazily.load("s/3");
  session.advanced.clear();
  assert.equal(await forgotten.getValue(), null);
});

onServers("an id property of a class's own is shown by load, and never stored", async (t, server) => {
  class Order {
    n = 1;
  }
  const prepare = ({ conventions }) => {
    conventions.registerEntityType(Order);
    conventions.registerEntityIdPropertyName(Order, "key");
  };
  const { name, store, session } = await cornered(t, server, { prepare });
  await session.store(new Order());
  await session.saveChanges();
  const other = store.openSession();
  const loaded = await other.load("orders/1-A");
  loaded.n = 2;
  await other.saveChanges();
  assert.equal("id" in (await document(server, name, "orders/1-A")), false, "stored");
  assert.equal(loaded.key, "orders/1-A");
});
