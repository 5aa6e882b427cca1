// Comparisons of sets: the Worker in workerd before the real RavenDB.
import assert from "node:assert/strict";
import { bulk, note, QUERIES, served } from "../support/callers.mjs";
import { onRavenDb, send } from "../support/server.mjs";
import { DeviceSet } from "../support/sets.mjs";

const OPTIONS = {
  queries: {
    ...QUERIES,
    mine: { query: "from Notes where owner = $name", set: true, wait: 15_000 },
    open: {
      query: "from Notes where status = $status order by at as long",
      parameters: { status: { type: "enum", values: ["open", "done"] } },
      set: true,
      wait: 15_000,
    },
  },
  sets: { everything: { collection: "Notes" }, products: { collection: "Products" } },
};

const opened = (t, server, more = {}) => served(t, server, { options: { ...OPTIONS, ...more } });

const remove = (server, base, id) =>
  send(server.url, "DELETE", `/databases/${base}/docs?id=${encodeURIComponent(id)}`);

onRavenDb("a device learns what is new, changed and deleted, and no more than that", async (t, server) => {
  const { ask, base, wire } = await opened(t, server);
  const notes = Array.from({ length: 60 }, (_, at) => [`notes/${at}`, note(at % 3 ? "ann" : "bob", { at })]);
  await bulk(server, base, Object.fromEntries(notes));
  const ids = notes.filter(([, { owner }]) => owner === "ann").map(([id]) => id);
  for (const name of ["everything", "mine"]) {
    const device = new DeviceSet();
    const sync = async () => {
      const { status, text, body } = await ask("ann", `${name}/sync`, device.body());
      assert.equal(status, 200, text);
      assert.ok(!text.includes("bob"));
      return body;
    };
    const first = await sync();
    assert.equal(first.IsStale, false);
    assert.deepEqual(device.take(first), [...ids].sort());
    wire.requests.length = 0;
    assert.deepEqual(await sync(), { Same: true });
    assert.equal(wire.requests.length, 1, "RavenDB's ETags alone are read");
    // Of the owner, of somebody else, and a deletion.
    await bulk(server, base, {
      "notes/1": note("ann", { at: 100 }),
      "notes/2": note("bob", { at: 2 }),
      "notes/3": note("bob", { at: 300 }),
      "notes/900": note("ann", {}),
    });
    await remove(server, base, "notes/4");
    const second = await sync();
    assert.ok(second.Differing.length <= 4, `${second.Differing.length} buckets`);
    assert.deepEqual(device.take(second), ["notes/1", "notes/2", "notes/4", "notes/900"]);
    assert.deepEqual(await sync(), { Same: true });
    await bulk(server, base, { "notes/2": note("ann", { at: 2 }), "notes/4": note("ann", { at: 4 }) });
    await remove(server, base, "notes/900");
  }
});

onRavenDb("what is hidden changes neither status nor sums nor pairs", async (t, server) => {
  const { ask, base } = await opened(t, server);
  const own = Array.from({ length: 30 }, (_, at) => [`notes/${at}`, note("ann", { at, status: "open" })]);
  await bulk(server, base, Object.fromEntries(own));
  const queries = [
    ["everything", {}],
    ["mine", {}],
    ["open", { status: "open" }],
  ];
  const keyed = () => Object.assign(new DeviceSet(), { key: Buffer.alloc(16) });
  const full = keyed();
  full.take((await ask("ann", "everything/sync", full.body())).body);
  // A device that has all, one that has nothing, one that has something else.
  const other = keyed();
  for (let at = 20; at < 40; at++) other.versions.set(`notes/${at}`, "A:1-x");
  const seen = async () => {
    const all = [];
    for (const device of [full, keyed(), other])
      for (const [name, parameters] of queries) {
        const body = { ...device.body(parameters), Etag: null };
        const { status, text, body: response } = await ask("ann", `${name}/sync`, body);
        const { Etag, ...rest } = response;
        assert.equal(rest.IsStale, false, text);
        // Fresh in each response, and always as long.
        all.push([status, Etag.length, JSON.stringify(rest)]);
      }
    return all;
  };
  const before = await seen();
  await bulk(
    server,
    base,
    Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [`notes/hidden-${at}`, note("bob", { at, status: "open" })]),
    ),
  );
  assert.deepEqual(await seen(), before, "hidden documents are added");
  await bulk(server, base, { "notes/hidden-1": note("eve", { status: "open" }) });
  await remove(server, base, "notes/hidden-2");
  assert.deepEqual(await seen(), before, "hidden documents are changed and deleted");
});

onRavenDb("callers who compare at the same time share what is read, and see their own", async (t, server) => {
  const { ask, base, wire } = await opened(t, server);
  const callers = Array.from({ length: 30 }, (_, at) => (at % 2 ? "ann" : "bob"));
  const notes = Array.from({ length: 20 }, (_, at) => [`notes/${at}`, note(callers[at], { at })]);
  await bulk(server, base, Object.fromEntries(notes));
  const devices = callers.map(() => new DeviceSet());
  const compared = async () => {
    wire.requests.length = 0;
    const responses = await Promise.all(
      devices.map((device, at) => ask(callers[at], "everything/sync", device.body())),
    );
    assert.ok(wire.requests.length < callers.length, `${wire.requests.length} requests of RavenDB`);
    return responses.map(({ body }, at) => devices[at].take(body));
  };
  const own = (name) =>
    notes
      .map(([id]) => id)
      .filter((_, at) => callers[at] === name)
      .sort();
  for (const [at, ids] of (await compared()).entries()) assert.deepEqual(ids, own(callers[at]));
  assert.deepEqual(
    await compared(),
    callers.map(() => []),
  );
  for (let at = 0; at < 3; at++) {
    // Each comparison begins after the write, and must have seen it.
    await bulk(server, base, { "notes/0": note("bob", { changed: at }) });
    assert.deepEqual(
      await compared(),
      callers.map((name) => (name === "bob" ? ["notes/0"] : [])),
    );
  }
  // A read that fails is not shared.
  await bulk(server, base, { "notes/1": note("ann", { changed: true }) });
  let cuts = 1;
  wire.rule = ({ path }) => (path.includes("streams/") && cuts-- > 0 ? { cut: 60 } : undefined);
  const failed = await Promise.all(
    devices.map((device, at) => ask(callers[at], "everything/sync", device.body())),
  );
  assert.equal(failed.filter(({ status }) => status === 502).length, 1);
  for (const [at, { status, body }] of failed.entries())
    if (status !== 502) assert.deepEqual(devices[at].take(body), callers[at] === "ann" ? ["notes/1"] : []);
});

onRavenDb("an ETag is good for its caller, parameters and set alone", async (t, server) => {
  const { ask, base } = await opened(t, server);
  await bulk(server, base, {
    "notes/1": note("ann", { status: "open" }),
    "notes/2": note("bob", { status: "done" }),
  });
  const compared = async (name, set, etag, parameters) => {
    const device = new DeviceSet();
    device.etag = etag;
    return (await ask(name, `${set}/sync`, device.body(parameters))).body;
  };
  const { Etag } = await compared("ann", "open", null, { status: "open" });
  assert.ok(Etag.length > 60);
  const same = await compared("ann", "open", Etag, { status: "open" });
  assert.deepEqual(same, { Same: true });
  const second = await compared("ann", "open", null, { status: "open" });
  assert.notEqual(second.Etag, Etag, "a fresh nonce");
  for (const [name, set, etag, parameters] of [
    ["bob", "open", Etag, { status: "open" }],
    ["ann", "open", Etag, { status: "done" }],
    ["ann", "everything", Etag, {}],
    ["ann", "open", `${Etag.slice(0, -2)}AA`, { status: "open" }],
    ["ann", "open", "forged", { status: "open" }],
  ]) {
    const response = await compared(name, set, etag, parameters);
    assert.ok(response.Differing, `${name} ${set} ${JSON.stringify(response)}`);
  }
});

onRavenDb("comparisons that cannot be meant are refused", async (t, server) => {
  const { ask, base, wire } = await opened(t, server, { limits: { set: 5 } });
  await bulk(server, base, { "notes/1": note("ann") });
  wire.requests.length = 0;
  const good = new DeviceSet().body();
  for (const [name, set, body, status, type] of [
    [undefined, "mine", good, 401, "Unauthorized"],
    ["ann", "nothing", good, 403, "RouteRefused"],
    ["ann", "allNotes", good, 403, "RouteRefused"],
    ["ann", "mine", { ...good, Sums: good.Sums.slice(4) }, 400, "RequestMalformed"],
    ["ann", "mine", { ...good, Sums: `${good.Sums}AAAA` }, 400, "RequestMalformed"],
    ["ann", "mine", { ...good, Sums: undefined }, 400, "RequestMalformed"],
    ["ann", "mine", { ...good, Key: "AAAA" }, 400, "RequestMalformed"],
    ["ann", "mine", { ...good, Etag: 5 }, 400, "RequestMalformed"],
    ["ann", "mine", { ...good, PageSize: 5 }, 400, "RequestMalformed"],
    ["ann", "open", good, 400, "RequestMalformed"],
  ]) {
    const refused = await ask(name, `${set}/sync`, body);
    assert.deepEqual(
      [refused.status, refused.body.Type],
      [status, `RavenEdge.Gateway.${type}`],
      refused.text,
    );
  }
  assert.equal(wire.requests.length, 0);
  const many = (owner) =>
    Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`notes/${owner}-${at}`, note(owner)]));
  await bulk(server, base, many("bob"));
  assert.equal((await ask("ann", "everything/sync", good)).status, 200, "hidden documents do not count");
  await bulk(server, base, many("ann"));
  const large = await ask("ann", "everything/sync", good);
  assert.deepEqual([large.status, large.body.Type], [413, "RavenEdge.Gateway.LimitExceeded"], large.text);
  assert.match(large.body.Message, /more than 5 documents/);
});

onRavenDb("a stream that RavenDB breaks off is no comparison", async (t, server) => {
  const { ask, base, wire } = await opened(t, server);
  await bulk(server, base, { "notes/1": note("ann") });
  let cut = true;
  wire.rule = ({ path }) => (cut && path.includes("streams/") ? { cut: 60 } : undefined);
  const failed = await ask("ann", "everything/sync", new DeviceSet().body());
  assert.equal(failed.status, 502, failed.text);
  cut = false;
  assert.equal((await ask("ann", "everything/sync", new DeviceSet().body())).status, 200);
});
