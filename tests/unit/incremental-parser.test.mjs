// The items of a response that comes in pieces: no server is needed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { IncrementalParser } from "../../pkg/dist/stream/incremental-parser.js";
import { random } from "../support/random.mjs";

const encoder = new TextEncoder();

/** Items and the rest of a response cut into pieces of these lengths, in turn; nothing where it is no complete response. */
function read(bytes, sizes) {
  const pieces = new IncrementalParser();
  const items = [];
  let round = 0;
  try {
    for (let at = 0; at < bytes.length; ) {
      const size = sizes[round++ % sizes.length];
      items.push(...pieces.take(bytes.subarray(at, at + size)));
      at += size;
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
  if (!pieces.isComplete) return undefined;
  return { items, head: pieces.head, tail: JSON.parse(`[${pieces.tail}`.replace(/^\[\]\s*,?/, "{")) };
}

test("items come out whatever the pieces are", () => {
  const bytes = encoder.encode(
    String.raw` {"IndexName":"a]\"[","T":{"x":[1]},"Results": [{"a":"}ü\\"} , {"b":[{}, []]},{}], "Error":"no"} `,
  );
  for (let size = 1; size <= bytes.length; size++) {
    const { items, head, tail } = read(bytes, [size]);
    assert.deepEqual(items, [{ a: "}ü\\" }, { b: [{}, []] }, {}], `pieces of ${size}`);
    assert.deepEqual(head, { IndexName: 'a]"[', T: { x: [1] }, Results: [] });
    assert.deepEqual(tail, { Error: "no" });
  }
});

test("a response that is cut off is not complete", () => {
  const bytes = encoder.encode('{"Results":[{"a":[1,{}]},{"b":2}]}');
  for (let end = 0; end < bytes.length; end++) assert.equal(read(bytes.subarray(0, end), [7]), undefined);
  assert.ok(read(bytes, [7]));
});

test("a response without a list of objects is refused", () => {
  for (const text of [
    "[]",
    "null",
    "<html>",
    '{"Error":"no"}',
    '{"Results":null}',
    '{"Results":[1]}',
    '{"Results":[null]}',
    '{"Results":["a"]}',
    '{"Results":[{}{}]}',
    '{"Results":[{},]}',
    '{"Results":[,{}]}',
    '{"Results":[{},,{}]}',
    '{"Results":[{}]}}',
    '{"Results":[{}]}{}',
    '{"Results":[{}]} x',
    '{"Results":[{]}',
  ])
    for (const size of [1, 3, 100]) assert.equal(read(encoder.encode(text), [size]), undefined, text);
});

const TEXTS = ["", "a", '"', "\\", '\\"', "{", "}", "[", "]", ",", ":", "ü", "🧀", "\n", "\u0000", "}]}"];

/** A value of any shape. */
function value({ below, chance, pick, some }, depth) {
  const draw = { below, chance, pick, some };
  const text = () => some(below(4), () => pick(TEXTS)).join("");
  if (depth === 0 || chance(0.4)) return pick([text, () => below(1e9) - 5e8, () => null, () => true])();
  if (chance(0.5)) return some(below(5), () => value(draw, depth - 1));
  return Object.fromEntries(some(below(5), () => [text(), value(draw, depth - 1)]));
}

test("pieces give what a full parser gives", () => {
  const draw = random(23);
  for (let round = 0; round < 2_000; round++) {
    const items = draw.some(draw.below(12), () => ({ x: value(draw, 4) }));
    const text = JSON.stringify({ IndexName: "ü]", Results: items }, null, draw.chance(0.5) ? 1 : 0);
    const found = read(
      encoder.encode(text),
      draw.some(1 + draw.below(7), () => 1 + draw.below(40)),
    );
    assert.deepEqual(found?.items, items, text);
  }
});

test("a response with a changed byte is never taken unless a full parser takes it", () => {
  const draw = random(29);
  for (let round = 0; round < 4_000; round++) {
    const bytes = encoder.encode(
      JSON.stringify({ Results: draw.some(1 + draw.below(4), () => ({ x: value(draw, 3) })) }),
    );
    bytes[draw.below(bytes.length)] = draw.below(256);
    let found;
    try {
      found = read(bytes, [1 + draw.below(40)]);
    } catch (error) {
      // The head or the tail, which are read by themselves.
      assert.ok(error instanceof SyntaxError);
    }
    if (found)
      assert.deepEqual(JSON.parse(new TextDecoder().decode(bytes)).Results ?? found.items, found.items);
  }
});

test("any bytes are survived", () => {
  const draw = random(31);
  const signs = encoder.encode('{}[]",:\\ ax"Results"');
  for (let round = 0; round < 4_000; round++)
    try {
      read(Uint8Array.from(draw.some(draw.below(60), () => draw.pick(signs))), [1 + draw.below(20)]);
    } catch (error) {
      assert.ok(error instanceof SyntaxError);
    }
});
