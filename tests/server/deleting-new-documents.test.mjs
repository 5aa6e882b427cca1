// Deleting documents that this session has just created.
import assert from "node:assert/strict";
import { isSave } from "../support/proxy.mjs";
import { document, onServers, order, putDocument } from "../support/server.mjs";
import { failure, prepared } from "../support/store.mjs";

onServers(
  "deleting a document that was never sent does not delete another client's document",
  async (t, server) => {
    const { name, wire, session } = await prepared(t, server);
    const entity = order({ n: 1 });
    await session.store(entity);
    await putDocument(server, name, entity.id, {
      n: "somebody else's",
      "@metadata": { "@collection": "Orders" },
    });
    await session.delete(entity);
    await session.saveChanges();
    assert.equal((await document(server, name, entity.id)).n, "somebody else's");
    assert.deepEqual(
      wire.of(({ path }) => path.endsWith("/bulk_docs")),
      [],
      "there is nothing to send",
    );
    assert.equal(session.advanced.hasChanges(), false);
    const [kept, removed] = [order({ n: 2 }), order({ n: 3 })];
    await session.store(kept);
    await session.store(removed);
    await session.delete(removed);
    await session.saveChanges();
    assert.equal((await document(server, name, kept.id)).n, 2);
    await session.delete(kept);
    await session.saveChanges();
    assert.equal(await document(server, name, kept.id), undefined);
  },
);

onServers("a new document can be deleted after the response to its save was lost", async (t, server) => {
  const { name, wire, session } = await prepared(t, server);
  const entity = order({ n: 1 });
  await session.store(entity);
  let blind = true;
  wire.rule = (request) =>
    isSave(request)
      ? "lose"
      : blind && request.path.endsWith("/docs")
        ? { status: 500, body: "{}" }
        : undefined;
  assert.equal((await failure(session.saveChanges())).outcome, "unknown");
  blind = false;
  await session.delete(entity);
  await session.saveChanges();
  assert.equal(await document(server, name, entity.id), undefined);
});
