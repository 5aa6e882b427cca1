// Parameters of named queries: the client checks them as the gateway does. `edge/src/gateway/named` reads the same cases.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { valuesOf } from "../../pkg/dist/named/named-definitions.js";

const cases = JSON.parse(readFileSync(new URL("named-parameters.json", import.meta.url), "utf8"));
const values = (declared, given) => valuesOf("the query q", declared, given);

test("each type accepts its values alone", () => {
  for (const { declared, accepted, refused, message } of cases) {
    for (const x of accepted) assert.deepEqual(values(declared, { x }), { x });
    for (const x of refused)
      assert.throws(
        () => values(declared, { x }),
        (error) => error.code === "InvalidArgument" && error.message.startsWith(`the query q: ${message}`),
        JSON.stringify([declared, x]),
      );
  }
});

test("values that are not given are defaults, null, or missing", () => {
  const declared = {
    needed: { type: "number" },
    usual: { type: "number", default: 5 },
    free: { type: "string", required: false },
  };
  assert.deepEqual(values(declared, { needed: 1 }), { needed: 1, usual: 5, free: null });
  assert.deepEqual(values(declared, { needed: 1, free: null }), { needed: 1, usual: 5, free: null });
  assert.throws(() => values(declared, { needed: null }), /the parameter needed must be a number/);
  assert.throws(() => values(declared, {}), /the parameter needed is missing/);
  assert.throws(
    () => values(declared, { needed: 1, usal: 2 }),
    /no parameter .*"usal": did you mean "usual"\?/,
  );
});
