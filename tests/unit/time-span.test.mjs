// Time limits in requests, in the form that RavenDB reads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { timeSpan } from "../../pkg/dist/common/time.js";

test("a time limit is written as a .NET time span, at most 2^31 - 1 ms", () => {
  assert.equal(timeSpan(1_500), "00:00:01.500");
  assert.equal(timeSpan(86_400_000), "1.00:00:00.000");
  assert.equal(timeSpan(Number.POSITIVE_INFINITY), "24.20:31:23.647");
});
