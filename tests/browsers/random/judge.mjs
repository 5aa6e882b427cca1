// The conditions that must hold after each round.
import assert from "node:assert/strict";
import { counter, ravendb } from "../../support/server.mjs";

/** Errors that faults, traps and concurrent disposal of stores may cause. */
const EXPECTED = new Set(["BadAnswer", "Dead", "Disposed", "Timeout", "Unreachable"]);

/** Fails with the history of the violation; `back`: whether counters are lowered. */
export function judge(ledger, errors, { back }) {
  const [id] = ledger.duplicates;
  assert.equal(id, undefined, `issued twice\n${id && ledger.history(id)}`);
  const unexpected = Object.keys(errors).filter((code) => !EXPECTED.has(code));
  assert.deepEqual(unexpected, []);
  const [regression] = back ? [] : ledger.regressions;
  assert.equal(
    regression,
    undefined,
    `the server never went back\n${regression && ledger.about(regression)}`,
  );
}

/** The server never considers an issued number free. */
export async function assertCounted(base, ledger) {
  for (const tag of ["orders", "lines"]) {
    const max = (await counter(ravendb, base, tag)) ?? 0;
    const id = `${tag}/${ledger.highest(tag)}`;
    assert.ok(max >= ledger.highest(tag), `${id} was issued, and Max is ${max}\n${ledger.history(id)}`);
  }
}
