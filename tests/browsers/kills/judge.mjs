// What must never happen, whatever died.
import assert from "node:assert/strict";

/** Errors that the proxy's faults and concurrent disposal of stores may cause. */
const EXPECTED = new Set(["BadAnswer", "Disposed", "OutcomeUnknown", "Timeout", "Unreachable"]);

/** Fails with the history of the violation. */
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
