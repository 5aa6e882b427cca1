// Three callers (the owner, somebody else, nobody) send each kind of request about each kind of document, through workerd to the
// real RavenDB. The database shows what was written, the wire what was sent, the responses what was told.
import assert from "node:assert/strict";
import { bulk, note, PATCHES, QUERIES, served } from "../support/callers.mjs";
import { onRavenDb, send } from "../support/server.mjs";

const CALLERS = ["ann", "bob", undefined];
const board = (name) => ({
  members: [name],
  team: `${name}s`,
  text: `OF-${name}`,
  "@metadata": { "@collection": "Boards" },
});
const secret = (more) => ({ ...more, text: "TOP-SECRET", "@metadata": { "@collection": "Secrets" } });

/** Each refers to the other owner's note and to a secret, for includes. */
const DOCUMENTS = {
  "notes/1": note("ann", {
    text: "OF-ann",
    at: 1,
    shared: true,
    status: "open",
    friend: "notes/2",
    secret: "secrets/1",
  }),
  "notes/2": note("bob", {
    text: "OF-bob",
    at: 2,
    shared: true,
    status: "open",
    friend: "notes/1",
    secret: "secrets/1",
  }),
  "notes/3": secret({ owner: "ann", shared: true, status: "open", at: 3 }),
  "boards/1": board("ann"),
  "boards/2": board("bob"),
  "products/1": { name: "tea", friend: "notes/1", "@metadata": { "@collection": "Products" } },
  "secrets/1": secret({}),
};
const TARGETS = [...Object.keys(DOCUMENTS), "notes/99"];
const OWNERS = { "notes/1": "ann", "notes/2": "bob" };
const NOTE_OF = { "notes/1": "ann", "notes/2": "bob", "boards/1": "ann", "boards/2": "bob" };

const encode = encodeURIComponent;
const json = (value) => JSON.stringify(value);
const get = (query) => ({ method: "GET", path: `docs?${query}` });
const post = (path, body, headers) => ({ method: "POST", path, body: json(body), headers });
const several = (...queries) => ({
  method: "POST",
  path: "multi_get",
  several: queries,
});

/** The requests about one document; `vector` is its change vector, as if the caller had guessed it, `name` the caller. */
function about(id, name, vector) {
  const collection = { n: "Notes", b: "Boards", p: "Products", s: "Secrets" }[id[0]];
  const mine = { owner: name ?? "nobody", text: "NEW", "@metadata": { "@collection": collection } };
  const put = (document, ChangeVector) => ({ Type: "PUT", Id: id, ChangeVector, Document: document });
  const erase = (ChangeVector) => ({ Type: "DELETE", Id: id, ChangeVector });
  const patch = (Named, Parameters, more) => ({ Type: "PATCH", Id: id, Named, Parameters, ...more });
  const batch = (...Commands) => post("bulk_docs", { Commands });
  const one = `docs?id=${encode(id)}`;
  const match = { "if-match": `"${vector}"` };
  const line = { line: { text: "NEW" } };
  return [
    get(`id=${encode(id)}`),
    get(`id=${encode(id)}&include=friend&include=secret`),
    get(`id=${encode(id)}&id=notes%2F1&metadataOnly=true`),
    { method: "HEAD", path: one },
    post("docs", { Ids: [id, "notes/99"] }),
    post("docs?include=friend", { Ids: [id, "products/1"] }),
    several(`?id=${encode(id)}`, `?id=${encode(id)}&include=friend`),
    { method: "PUT", path: one, body: json(mine) },
    { method: "PUT", path: one, body: json(mine), headers: { "if-match": '""' } },
    { method: "PUT", path: one, body: json(mine), headers: match },
    { method: "DELETE", path: one },
    { method: "DELETE", path: one, headers: match },
    batch(put(mine, null)),
    batch(put(mine, vector)),
    batch(put({ ...mine, owner: "bob" }, null)),
    batch(put({ ...mine, owner: "ann" }, vector)),
    batch(erase(null)),
    batch(erase(vector)),
    batch({ Type: "BatchTrackChanges", TrackedEntities: { [id]: vector } }),
    batch(patch("addLine", line)),
    batch(patch("addLine", line, { ChangeVector: vector, ReturnDocument: true })),
    batch(patch("give", { to: "bob" }, { ReturnDocument: true })),
    batch(patch("rename", { to: "coffee" }, { ReturnDocument: true })),
    batch(patch("addLine", line), erase(null)),
    batch(put(mine, ""), put(mine, null), erase(null)),
    batch(erase(null), put(mine, "")),
    batch(put(mine, null), patch("give", { to: "bob" }, { ReturnDocument: true })),
    batch(erase(vector), patch("addLine", line, { ReturnDocument: true })),
  ];
}

/** The requests that are about no single document. */
const GENERAL = [
  get("startsWith=notes%2F&pageSize=50"),
  get("startsWith=boards%2F&pageSize=50&metadataOnly=true"),
  get("startsWith=secrets%2F&pageSize=50"),
  get("startsWith=&pageSize=50"),
  several("?startsWith=notes%2F&pageSize=50", "?id=secrets%2F1"),
  post("queries/named/notes", { PageSize: 10 }),
  post("queries/named/notes", { PageSize: 1, Skip: 1 }),
  post("queries/named/openNotes", { Parameters: { status: "open" } }),
  post("queries/named/allNotes", { PageSize: 0 }),
  post("queries/named/allNotes", {}),
  post("queries/named/allNotes", { Parameters: { name: "ann" } }),
  post("queries/named/secrets", {}),
  post("queries", { Query: "from Secrets" }),
  post("streams/queries/named/allNotes", {}),
  post("streams/queries/named/openNotes", { Parameters: { status: "open" } }),
  post("streams/queries/named/notes", {}),
  post("streams/queries", { Query: "from Notes" }),
];

/** The stored documents of the test, with their change vectors. */
async function stored(server, base) {
  const { json: body } = await send(server.url, "POST", `/databases/${base}/docs`, { Ids: TARGETS });
  return Object.fromEntries(TARGETS.map((id, at) => [id, body.Results[at]]));
}

const vectorOf = (document) => document?.["@metadata"]["@change-vector"] ?? "A:1-none";

/** Fails if the gateway has sent what it must not send for this caller. `before`: what was stored. */
function judgeSent({ path, target, method, body, headers }, name, before, story) {
  const route = path.replace(/^\/databases\/[^/]+\//, "");
  const ids = [...target.matchAll(/[?&]id=([^&]+)/g)].map(([, id]) => decodeURIComponent(id));
  const parsed = body ? JSON.parse(body) : {};
  assert.ok(![...ids, ...(parsed.Ids ?? [])].some((id) => /^(secrets|raven)\//i.test(id)), story);
  if (/queries$/.test(route)) {
    assert.ok(
      Object.values(QUERIES).some(({ query }) => query === parsed.Query),
      story,
    );
    assert.ok(!("name" in parsed.QueryParameters) || parsed.QueryParameters.name === name, story);
  }
  const single = {
    PUT: [{ Type: "PUT", Id: ids[0], Document: parsed }],
    DELETE: [{ Type: "DELETE", Id: ids[0] }],
  };
  const written = new Set();
  for (const command of parsed.Commands ?? single[method] ?? []) {
    if (command.Type === "BatchTrackChanges") continue;
    const { Type, Id, Document, Patch } = command;
    assert.match(Id, /^(notes|products)\//, story);
    if (Patch) {
      const known = Object.values(PATCHES).find(({ script }) => Patch.Script.endsWith(script));
      assert.ok(known && Id.startsWith(known.collection.toLowerCase()), story);
    }
    if (Id.startsWith("products/")) assert.equal(Type, "PATCH", story);
    if (!Id.startsWith("notes/")) continue;
    if (Type === "PUT") assert.equal(Document.owner, name, story);
    if (written.has(Id)) continue;
    written.add(Id);
    // Sent to RavenDB as `If-Match` or as `ChangeVector`: the first write of a note expects one of the caller's, or none.
    const guard = parsed.Commands ? command.ChangeVector : headers["if-match"]?.slice(1, -1);
    const isOwn =
      guard === vectorOf(before[Id]) &&
      before[Id]?.owner === name &&
      before[Id]["@metadata"]["@collection"] === "Notes";
    assert.ok(guard === "" || isOwn, `${guard}: ${story}`);
  }
}

onRavenDb(
  "nothing forbidden is sent, written or told, whoever asks for what",
  async (t, server) => {
    const { url, base, wire } = await served(t, server);
    await bulk(server, base, DOCUMENTS);
    // The indexes of the queries exist from here on.
    let count = 0;
    const statuses = {};
    const ask = async (request, name, before) => {
      const { method, path, headers, several: queries } = request;
      const Requests = queries?.map((Query) => ({
        Url: `/databases/${base}/docs`,
        Query,
        Method: "GET",
        Headers: {},
      }));
      const body = queries ? json({ Requests }) : request.body;
      const story = json([name, method, path, headers, body]);
      wire.requests.length = 0;
      const response = await fetch(`${url}/databases/${base}/${path}`, {
        method,
        headers: {
          ...(body && { "content-type": "application/json" }),
          ...(name && { "x-user": name }),
          ...headers,
        },
        body,
      });
      const text = (await response.text()) + JSON.stringify([...response.headers]);
      count += 1;
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      for (const word of ["OF-ann", "OF-bob", "TOP-SECRET"])
        if (word !== `OF-${name}`) assert.ok(!text.includes(word), `${text} ${story}`);
      if (name === undefined) {
        assert.ok([401, 403, 400, 413].includes(response.status), `${response.status} ${story}`);
        assert.deepEqual(wire.requests, [], story);
      }
      for (const sent of wire.requests) judgeSent(sent, name, before, story);
      // The change vectors of others, but for the one that the caller has sent itself.
      const own = new Set(
        TARGETS.filter((id) => !(id in NOTE_OF) || NOTE_OF[id] === name).map((id) => vectorOf(before[id])),
      );
      for (const id of TARGETS) {
        const vector = vectorOf(before[id]);
        if (before[id] && id in NOTE_OF && !own.has(vector) && !story.includes(vector))
          assert.ok(!text.includes(vector), `${text} ${story}`);
      }
      const after = await stored(server, base);
      let isChanged = false;
      for (const id of TARGETS) {
        if (vectorOf(after[id]) === vectorOf(before[id])) continue;
        isChanged = true;
        const isFree = before[id] === null && id.startsWith("notes/");
        const isOwn = OWNERS[id] === name && name !== undefined;
        const isRenamed = id === "products/1" && name !== undefined && /rename/.test(story);
        assert.ok(isFree || isOwn || isRenamed, `${id} ${json(after[id])} ${story}`);
      }
      if (isChanged) await bulk(server, base, { ...DOCUMENTS });
      if (after["notes/99"]) await send(server.url, "DELETE", `/databases/${base}/docs?id=notes%2F99`);
      return isChanged || after["notes/99"] ? stored(server, base) : after;
    };
    let before = await stored(server, base);
    for (const name of CALLERS) {
      for (const request of GENERAL) before = await ask(request, name, before);
      for (const id of TARGETS) {
        for (let at = 0; at < about(id, name, "").length; at++)
          before = await ask(about(id, name, vectorOf(before[id]))[at], name, before);
      }
    }
    t.diagnostic(`${count} requests: ${json(statuses)}`);
    assert.ok(count >= 300, `${count}`);
    assert.ok(statuses[200] > 40 && statuses[201] > 40 && statuses[409] > 10, json(statuses));
  },
  { timeout: 300_000 },
);

onRavenDb("somebody else's document and none have the same responses", async (t, server) => {
  const { url, base, wire } = await served(t, server);
  await bulk(server, base, { "notes/2": DOCUMENTS["notes/2"] });
  const ask = async (id) => {
    const responses = [];
    // A creation under an id that is taken cannot hide that; a guessed vector is that of the other document.
    const isCreation = ({ body, headers }) =>
      /"ChangeVector":""/.test(body ?? "") || headers?.["if-match"] === '""';
    for (const { method, path, body, headers, several: queries } of about(id, "ann", "A:7-x").filter(
      (one) => !isCreation(one),
    )) {
      const Requests = queries?.map((Query) => ({
        Url: `/databases/${base}/docs`,
        Query,
        Method: "GET",
        Headers: {},
      }));
      // What a write without expectation creates under a free id, it does not under one that is taken.
      if (/"Type":"PUT"[^}]*"ChangeVector":null/.test(body ?? "") || (method === "PUT" && !headers)) continue;
      wire.requests.length = 0;
      const response = await fetch(`${url}/databases/${base}/${path}`, {
        method,
        headers: { "x-user": "ann", ...headers },
        body: queries ? json({ Requests }) : body,
      });
      const text = (await response.text()).replaceAll(id, "ID").replaceAll(encode(id), "ID");
      responses.push([method, path.replace(encode(id), "ID"), response.status, text, wire.requests.length]);
    }
    return responses;
  };
  const [taken, free] = [await ask("notes/2"), await ask("notes/9")];
  assert.deepEqual(taken, free);
  assert.ok(taken.length > 15, `${taken.length}`);
});

onRavenDb("a stale index shows nobody what was the caller's and is so no longer", async (t, server) => {
  const own = { query: "from Notes where owner = $name order by at as long", page: { default: 7 } };
  const { ask, stream, base, wire } = await served(t, server, { options: { queries: { own } } });
  const notes = (odd) =>
    Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `notes/${at}`,
        note(at % 2 ? odd : "ann", { at, text: `OF-${odd}` }),
      ]),
    );
  await bulk(server, base, notes("ann"));
  for (let isStale = true; isStale; ) isStale = (await ask("ann", "own")).body.IsStale;
  await send(server.url, "POST", `/databases/${base}/admin/indexes/stop`);
  await bulk(server, base, notes("bob"));
  const ids = [];
  for (let Next; Next !== null; ) {
    const { body, text } = await ask("ann", "own", { Next });
    assert.ok(!text.includes('"bob"') && body.IsStale, text);
    ids.push(...body.Results.map((one) => one["@metadata"]["@id"]));
    Next = body.Next;
  }
  assert.deepEqual(
    ids,
    Array.from({ length: 15 }, (_, at) => `notes/${2 * at}`),
  );
  const { text, body } = await stream("ann", "own");
  assert.ok(!text.includes('"bob"') && body.Results.length === 15, text);
  const found = wire.requests
    .filter(({ path }) => /queries/.test(path))
    .map(({ responseText = "" }) => responseText);
  const isStaleFind = (answer) => answer.includes('"IsStale":true') && answer.includes('"bob"');
  assert.ok(
    found.filter(isStaleFind).length >= 2,
    `RavenDB did find them: ${found.map((one) => one.slice(0, 300))}`,
  );
});

onRavenDb(
  "200 owners that change between read and write keep what is theirs",
  async (t, server) => {
    const { write, base, wire } = await served(t, server);
    const mine = note("ann", { text: "ann's" });
    const writes = [
      [{ Type: "PUT", Id: "notes/1", ChangeVector: null, Document: mine }],
      [{ Type: "DELETE", Id: "notes/1", ChangeVector: null }],
      [{ Type: "PATCH", Id: "notes/1", Named: "addLine", Parameters: { line: {} }, ReturnDocument: true }],
      [
        { Type: "PUT", Id: "notes/5", ChangeVector: null, Document: mine },
        { Type: "DELETE", Id: "notes/1", ChangeVector: null },
      ],
      [
        { Type: "DELETE", Id: "notes/1", ChangeVector: null },
        { Type: "PUT", Id: "notes/1", ChangeVector: null, Document: mine },
      ],
    ];
    const changes = [
      () => bulk(server, base, { "notes/1": note("bob", { text: "bob's" }) }),
      () => send(server.url, "DELETE", `/databases/${base}/docs?id=notes%2F1`),
      () => bulk(server, base, { "notes/1": note("ann", { text: "again" }) }),
    ];
    let forced = 0;
    for (let round = 0; forced < 200; round++) {
      await bulk(server, base, { "notes/1": round % 7 ? mine : note("bob", { text: "bob's" }) });
      // Between the read and the write, in up to five attempts; what the last change leaves is what the write meets.
      const times = 1 + (round % 5);
      let left = times;
      let last;
      wire.rule = async ({ path }) => {
        if (left === 0 || !path.includes("/bulk_docs")) return;
        left -= 1;
        last = (round + left) % changes.length;
        await changes[last]();
        forced += 1;
      };
      const { status, text } = await write("ann", ...writes[round % writes.length]);
      wire.rule = undefined;
      const story = `round ${round}: ${status} ${text}`;
      assert.ok([201, 409].includes(status) && !text.includes("bob"), story);
      const { json: body } = await send(server.url, "POST", `/databases/${base}/docs`, {
        Ids: ["notes/1", "notes/1"],
      });
      if (last === 0) {
        const kept = body.Results[0];
        assert.deepEqual([kept?.owner, kept?.text, kept?.lines], ["bob", "bob's", undefined], story);
      }
    }
    t.diagnostic(`${forced} interleavings`);
  },
  { timeout: 120_000 },
);
