// The messages of a subscription, wherever the pieces of the connection are cut.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageReader } from "../../pkg/dist/subscriptions/connection.js";

const MESSAGES = [
  { Type: "ConnectionStatus", Status: "Accepted" },
  {
    Type: "Data",
    Data: { name: 'käse 🧀 "{[\\"]}', lines: [[{}], "]", "\\"], "@metadata": { "@id": "a/1" } },
  },
  { Type: "EndOfBatch" },
];
const BYTES = new TextEncoder().encode(`\r\n${MESSAGES.map((one) => JSON.stringify(one)).join("\r\n")}\r\n`);

const read = (pieces) => {
  const reader = new MessageReader();
  return pieces.flatMap((piece) => reader.take(piece)).map((text) => JSON.parse(text));
};

test("messages are the same wherever a piece ends", () => {
  for (let cut = 0; cut <= BYTES.length; cut++)
    assert.deepEqual(read([BYTES.subarray(0, cut), BYTES.subarray(cut)]), MESSAGES, `cut at ${cut}`);
  assert.deepEqual(read(Array.from(BYTES, (byte) => Uint8Array.of(byte))), MESSAGES);
});

test("heartbeats are no messages, and an incomplete message waits", () => {
  assert.deepEqual(read([new TextEncoder().encode("\r\n\r\n")]), []);
  assert.deepEqual(read([new TextEncoder().encode('{"Type":"Confirm"')]), []);
});

test("what no server sends is refused", () => {
  assert.throws(() => read([new TextEncoder().encode('{"Type":"Confirm"}}')]), SyntaxError);
});
