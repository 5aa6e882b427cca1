// What must never have happened, whatever died.
import assert from "node:assert/strict";

/** What the proxy's faults, and a store that is disposed of beside other work, may end in. */
const EXPECTED = new Set(["BadAnswer", "Disposed", "OutcomeUnknown", "Timeout", "Unreachable"]);

/** Fails with the history of what should not have happened. */
export function judge({ ledger, wrong, errors }) {
  const [id] = ledger.duplicates;
  assert.equal(id, undefined, `issued twice\n${id && ledger.history(id)}`);
  assert.deepEqual(wrong, []);
  const unexpected = Object.keys(errors).filter((code) => !EXPECTED.has(code));
  assert.deepEqual(unexpected, []);
  const [regression] = ledger.regressions;
  assert.equal(
    regression,
    undefined,
    `the server never went back\n${regression && ledger.about(regression)}`,
  );
}
