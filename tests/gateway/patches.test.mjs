// Named patches: the Worker in workerd in front of the real RavenDB, and what passes between them.
import assert from "node:assert/strict";
import { bulk, note, PATCHES, served } from "../support/callers.mjs";
import { document, onRavenDb } from "../support/server.mjs";

const patch = (Id, Named, Parameters, more = {}) => ({ Type: "PATCH", Id, Named, Parameters, ...more });
const put = (Id, Document) => ({ Type: "PUT", Id, ChangeVector: null, Document });
const product = (name) => ({ name, "@metadata": { "@collection": "Products" } });

onRavenDb("a caller patches its own document, and nobody else's", async (t, server) => {
  const { write, base, wire } = await served(t, server);
  await bulk(server, base, { "notes/1": note("ann"), "notes/2": note("bob") });
  const line = patch("notes/1", "addLine", { line: { n: 1 } }, { ReturnDocument: true });
  const { status, body } = await write("ann", line);
  assert.equal(status, 201, JSON.stringify(body));
  const [{ ModifiedDocument, ChangeVector, LastModified, ...rest }] = body.Results;
  assert.deepEqual(rest, { Id: "notes/1", Type: "PATCH", PatchStatus: "Patched", Debug: null });
  assert.deepEqual(ModifiedDocument, { ...note("ann"), lines: [{ by: "ann", n: 1 }] });
  const stored = await document(server, base, "notes/1");
  assert.deepEqual(stored.lines, [{ by: "ann", n: 1 }]);
  assert.equal(stored["@metadata"]["@change-vector"], ChangeVector);
  assert.ok(Date.parse(LastModified) > 0);

  // A document of somebody else looks like one that does not exist, and neither patch is sent.
  wire.requests.length = 0;
  for (const more of [{}, { ReturnDocument: true }, { ChangeVector: "A:1-x" }]) {
    const [his, none] = [
      await write("ann", patch("notes/2", "give", { to: "ann" }, more)),
      await write("ann", patch("notes/9", "give", { to: "ann" }, more)),
    ];
    assert.equal(his.text.replaceAll("notes/2", "notes/9"), none.text);
    assert.equal(his.status, more.ChangeVector ? 409 : 201);
  }
  assert.ok(wire.requests.every(({ path }) => !path.includes("bulk_docs")));
  assert.equal((await document(server, base, "notes/2")).owner, "bob");
});

onRavenDb("what RavenDB gets is the configuration's script with checked values", async (t, server) => {
  const { write, base, wire } = await served(t, server);
  await bulk(server, base, { "notes/1": note("ann"), "products/1": product("old") });
  await write(
    "ann",
    patch("notes/1", "addLine", { line: { a: 1 } }),
    patch("products/1", "rename", { to: "new" }, { ChangeVector: null }),
  );
  const sent = JSON.parse(wire.requests.find(({ path }) => path.includes("bulk_docs")).body);
  assert.deepEqual(Object.keys(sent), ["Commands"]);
  const [line, rename] = sent.Commands;
  const { "@metadata": metadata } = await document(server, base, "products/1");
  assert.match(line.ChangeVector, /^A:/, "guarded by the change vector that was read");
  assert.deepEqual(line.Patch, { Script: PATCHES.addLine.script, Values: { line: { a: 1 }, name: "ann" } });
  assert.equal(rename.ChangeVector, null, "without rows nothing is read before");
  assert.ok(rename.Patch.Script.endsWith(PATCHES.rename.script));
  assert.deepEqual(rename.Patch.Values, { to: "new" });
  assert.equal((await document(server, base, "products/1")).name, "new");
  assert.equal(metadata["@collection"], "Products");
});

onRavenDb("a document that a patch takes from the caller is not shown to it", async (t, server) => {
  const { write, base } = await served(t, server);
  await bulk(server, base, { "notes/1": note("ann", { text: "mine" }) });
  const { body } = await write("ann", patch("notes/1", "give", { to: "bob" }, { ReturnDocument: true }));
  const [{ PatchStatus, ModifiedDocument }] = body.Results;
  assert.deepEqual([PatchStatus, ModifiedDocument], ["Patched", null]);
  assert.equal((await document(server, base, "notes/1")).owner, "bob");
});

onRavenDb("a document of another collection under the same prefix is not patched", async (t, server) => {
  const { write, base } = await served(t, server);
  const secret = (more) => ({ ...more, "@metadata": { "@collection": "Secrets" } });
  await bulk(server, base, { "notes/1": secret({ owner: "ann" }), "products/1": secret({ name: "old" }) });
  const { body } = await write(
    "ann",
    patch("notes/1", "give", { to: "bob" }, { ReturnDocument: true }),
    patch("products/1", "rename", { to: "new" }, { ReturnDocument: true }),
  );
  const seen = body.Results.map(({ PatchStatus, ModifiedDocument }) => [PatchStatus, ModifiedDocument]);
  assert.deepEqual(seen, [
    ["DocumentDoesNotExist", null],
    ["NotModified", null],
  ]);
  assert.equal((await document(server, base, "notes/1")).owner, "ann");
  assert.equal((await document(server, base, "products/1")).name, "old");
});

onRavenDb(
  "a document that changes between read and patch is judged again: patched if it is still the caller's",
  async (t, server) => {
    const { write, base, wire } = await served(t, server);
    for (const [again, expected] of [
      ["ann", "Patched"],
      ["bob", "DocumentDoesNotExist"],
    ]) {
      await bulk(server, base, { "notes/1": note("ann") });
      let isChanged = false;
      wire.rule = async ({ path }) => {
        if (isChanged || !path.includes("/bulk_docs")) return;
        isChanged = true;
        await bulk(server, base, { "notes/1": note(again, { again: true }) });
      };
      const { status, body } = await write("ann", patch("notes/1", "addLine", { line: {} }));
      assert.deepEqual([status, body.Results?.[0].PatchStatus, isChanged], [201, expected, true]);
      const { lines, again: kept } = await document(server, base, "notes/1");
      assert.deepEqual([lines?.length ?? 0, kept], [expected === "Patched" ? 1 : 0, true]);
    }
  },
);

onRavenDb(
  "after a conflict about the only document that a save patches, the gateway sends the save again",
  async (t, server) => {
    const { write, base, wire } = await served(t, server);
    const line = patch("notes/1", "addLine", { line: {} });
    const stored = put("notes/3", note("ann"));
    for (const [changed, commands, status] of [
      ["notes/1", [line, stored], 201],
      ["notes/3", [line, stored], 409],
      ["notes/1", [line, patch("notes/2", "addLine", { line: {} })], 409],
    ]) {
      await bulk(server, base, { "notes/1": note("ann"), "notes/2": note("ann"), "notes/3": note("ann") });
      let isChanged = false;
      wire.rule = async ({ path }) => {
        if (isChanged || !path.includes("/bulk_docs")) return;
        isChanged = true;
        await bulk(server, base, { [changed]: note("ann", { again: true }) });
      };
      const response = await write("ann", ...commands);
      assert.equal(response.status, status, changed);
      const { lines, again } = await document(server, base, "notes/1");
      assert.deepEqual([lines?.length ?? 0, again === true], [status === 201 ? 1 : 0, changed === "notes/1"]);
    }
  },
);

onRavenDb(
  "patches that are undeclared, malformed, or beside another command about the document are refused unsent",
  async (t, server) => {
    const { write, base, wire } = await served(t, server);
    await bulk(server, base, { "notes/1": note("ann") });
    const good = patch("notes/1", "addLine", { line: {} });
    wire.requests.length = 0;
    for (const [name, commands, status, type] of [
      [undefined, [good], 401, "Unauthorized"],
      ["ann", [patch("notes/1", "erase", {})], 403, "DocumentRefused"],
      ["ann", [patch("notes/1", undefined, {})], 403, "ReturnRefused"],
      ["ann", [patch("products/1", "addLine", { line: {} })], 403, "CollectionRefused"],
      ["ann", [patch("secrets/1", "addLine", { line: {} })], 403, "CollectionRefused"],
      ["ann", [patch("notes/", "addLine", { line: {} })], 403, "DocumentRefused"],
      ["ann", [patch("notes/1", "addLine", { line: 1 })], 400, "RequestMalformed"],
      ["ann", [patch("notes/1", "addLine", { line: { a: "x".repeat(300) } })], 400, "RequestMalformed"],
      ["ann", [patch("notes/1", "addLine", { line: {}, name: "bob" })], 400, "RequestMalformed"],
      ["ann", [patch("notes/1", "addLine", {})], 400, "RequestMalformed"],
      ["ann", [{ ...good, Patch: { Script: "this.owner = 1" } }], 403, "DocumentRefused"],
      ["ann", [{ ...good, PatchIfMissing: {} }], 403, "DocumentRefused"],
      ["ann", [{ ...good, ReturnDocument: 1 }], 403, "DocumentRefused"],
      ["ann", [good, good], 403, "DocumentRefused"],
      ["ann", [good, { Type: "DELETE", Id: "NOTES/1", ChangeVector: null }], 403, "DocumentRefused"],
      [
        "ann",
        [good, { Type: "PUT", Id: "notes/1", ChangeVector: null, Document: note("ann") }],
        403,
        "DocumentRefused",
      ],
      [
        "ann",
        [good, { Type: "BatchTrackChanges", TrackedEntities: { "notes/1": "A:1-x" } }],
        403,
        "DocumentRefused",
      ],
      ["ann", [good, patch("Raven/Hilo/notes", undefined, {})], 403, "DocumentRefused"],
    ]) {
      const { status: found, body } = await write(name, ...commands);
      assert.deepEqual(
        [found, body.Type],
        [status, `RavenEdge.Gateway.${type}`],
        JSON.stringify([commands, body]),
      );
    }
    assert.deepEqual(wire.requests, []);
  },
);
