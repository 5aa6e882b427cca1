// Attachments as commands and by operations on single attachments; large contents, odd names.

import { Readable } from "node:stream";
import {
  CopyAttachmentCommandData,
  DeleteAttachmentCommandData,
  DeleteAttachmentOperation,
  GetAttachmentOperation,
  MoveAttachmentCommandData,
  PutAttachmentCommandData,
  PutAttachmentOperation,
} from "client";
import { type Any, bytes, content, listed, MyProduct, prepared, text } from "./attachment-helpers.js";
import { area, fails, failure, outcome } from "./harness.js";

export default area({
  commands: async ({ open, observe, server }) => {
    await prepared(server, "k/1", { "a.txt": "alpha", "b.txt": "beta", "c.txt": "gamma" });
    const session = open().openSession();
    const put = new PutAttachmentCommandData("k/1", "p.txt", bytes("put"), "text/plain", null as Any);
    const move = new MoveAttachmentCommandData("k/1", "b.txt", "k/1", "b2.txt", null as Any);
    const copy = new CopyAttachmentCommandData("k/1", "c.txt", "k/1", "c2.txt", null as Any);
    const remove = new DeleteAttachmentCommandData("k/1", "a.txt", null as Any);
    for (const command of [put, move, copy, remove]) {
      observe(`${command.type}: id, name`, [command.id, command.name, command.changeVector]);
      observe(`${command.type}: text`, command.serialize(null as Any));
    }
    observe("content type", put.contentType);
    session.advanced.defer(put, move, copy, remove);
    observe("the save", await outcome(() => session.saveChanges()));
    observe("listed", await listed(server, "k/1"));
    observe("once", await outcome(() => session.saveChanges()));
    observe("requests", session.advanced.numberOfRequests);
    for (const [what, make] of Object.entries({
      "put without an id": () => new PutAttachmentCommandData("", "n", bytes(""), "", null as Any),
      "put without a name": () => new PutAttachmentCommandData("k/1", "", bytes(""), "", null as Any),
      "delete without an id": () => new DeleteAttachmentCommandData("", "n", null as Any),
      "delete without a name": () => new DeleteAttachmentCommandData("k/1", "", null as Any),
      "move without a target": () => new MoveAttachmentCommandData("k/1", "n", "", "m", null as Any),
      "move without a name": () => new MoveAttachmentCommandData("k/1", "n", "k/1", "", null as Any),
      "copy without an id": () => new CopyAttachmentCommandData("", "n", "k/1", "m", null as Any),
    }))
      observe(what, await outcome(() => void make()));
  },

  operations: async ({ open, observe, better, server }) => {
    await server.put("u/1", { n: 1 }, "MyProducts");
    const { operations } = open();
    const put = await operations.send(
      new PutAttachmentOperation("u/1", "o.txt", bytes("operated"), "text/plain"),
    );
    const { changeVector, ...details } = put as Any;
    observe("put", details);
    observe("its vector", typeof changeVector === "string");
    observe("stored", await content(server, "u/1", "o.txt"));
    const plain = await operations.send(new PutAttachmentOperation("u/1", "plain", bytes("p")));
    observe("without a type", [plain.contentType, plain.size, plain.hash.length]);
    // npm `ravendb` cannot send a stream by this operation.
    const stream = Readable.from([bytes("stre"), bytes("amed")]);
    const streamed = new PutAttachmentOperation("u/1", "s", stream);
    better("a stream", await failure(async () => (await operations.send(streamed)).size), {
      ravendb: fails("RavenException"),
      edge: { succeeded: 8 },
    });
    better("its content", await content(server, "u/1", "s"), { ravendb: undefined, edge: "streamed" });
    const got = await operations.send(new GetAttachmentOperation("u/1", "o.txt", "Document", null as Any));
    observe("get", await text(got.data));
    observe("its details", [
      got.details.name,
      got.details.size,
      got.details.contentType,
      got.details.documentId,
    ]);
    observe("the same vector", got.details.changeVector === changeVector);
    got.dispose();
    observe(
      "get none",
      await operations.send(new GetAttachmentOperation("u/1", "none", "Document", null as Any)),
    );
    observe(
      "put for no document",
      await outcome(() => operations.send(new PutAttachmentOperation("u/none", "o", bytes("x")))),
    );
    observe(
      "put without an id",
      await outcome(async () => operations.send(new PutAttachmentOperation("", "o", bytes("x")))),
    );
    observe(
      "put without a name",
      await outcome(async () => operations.send(new PutAttachmentOperation("u/1", "", bytes("x")))),
    );
    observe(
      "delete without a name",
      await outcome(async () => operations.send(new DeleteAttachmentOperation("u/1", ""))),
    );
    observe(
      "delete without an id",
      await outcome(async () => operations.send(new DeleteAttachmentOperation("", "o"))),
    );
    observe(
      "get without a name",
      await outcome(async () =>
        operations.send(new GetAttachmentOperation("u/1", "", "Document", null as Any)),
      ),
    );
    observe(
      "a revision without a vector",
      await outcome(async () =>
        operations.send(new GetAttachmentOperation("u/1", "o.txt", "Revision", null as Any)),
      ),
    );
    observe("delete", await operations.send(new DeleteAttachmentOperation("u/1", "o.txt")));
    observe("deleted", await content(server, "u/1", "o.txt"));
    observe("delete none", await operations.send(new DeleteAttachmentOperation("u/1", "o.txt")));
    // npm `ravendb` fails before it sends a change vector.
    const stale = new PutAttachmentOperation(
      "u/1",
      "plain",
      bytes("q"),
      null as Any,
      "A:1-xxxxxxxxxxxxxxxxxxxxxx",
    );
    better("with another vector", await outcome(() => operations.send(stale)), {
      ravendb: fails("TypeError"),
      edge: fails("ConcurrencyException"),
    });
    const exact = new PutAttachmentOperation("u/1", "plain", bytes("qq"), null as Any, plain.changeVector);
    better("with its vector", await failure(async () => (await operations.send(exact)).size), {
      ravendb: fails("TypeError"),
      edge: { succeeded: 2 },
    });
  },

  "large contents": async ({ open, observe, server }) => {
    const long = Buffer.alloc(3_000_000, "large ");
    const session = open().openSession();
    await session.store(new MyProduct("large"), "z/1");
    session.advanced.attachments.store("z/1", "a", long, "text/plain");
    session.advanced.attachments.store(
      "z/1",
      "b",
      Readable.from([long.subarray(0, 1_000_000), long.subarray(1_000_000)]),
    );
    observe("the save", await outcome(() => session.saveChanges()));
    observe("listed", await listed(server, "z/1"));
    const found = (await open().openSession().advanced.attachments.get("z/1", "b")) as Any;
    observe("equal", (await text(found.data)) === long.toString());
  },

  "odd names": async ({ open, observe, server }) => {
    const names = ["ä ö.txt", "a/b.txt", "50%.txt", "a&b=c?.txt", '"quoted".txt', "日本.txt"];
    const session = open().openSession();
    await session.store(new MyProduct("odd"), "odd/1 & 2");
    for (const name of names)
      session.advanced.attachments.store("odd/1 & 2", name, bytes(name), "text/plain");
    observe("the save", await outcome(() => session.saveChanges()));
    for (const name of names) {
      observe(name, await content(server, "odd/1 & 2", name));
      const found = (await open().openSession().advanced.attachments.get("odd/1 & 2", name)) as Any;
      observe(`read ${name}`, [found.details.name, await text(found.data)]);
    }
  },
});
