// A reporter for `node --test`: one JSON line per finished test, for xtask to count and show.
// Only leaves count: a test that has subtests is their folder, and fails on its own only when its own body does.
import { inspect } from "node:util";

const line = (value) => `${JSON.stringify(value)}\n`;

/** The reason of a failure without the test runner's own calls. */
const reason = (error) => {
  const cause = error?.cause ?? error;
  const text = typeof cause === "string" ? cause : inspect(cause, { depth: 6, breakLength: 110 });
  return text.replace(/^ +at .*\(?node:internal\/.*\n?/gm, "").trimEnd();
};

export default async function* (events) {
  const path = []; // names of the tests that are open, by nesting
  let children = []; // how many finished below each nesting
  for await (const { type, data } of events) {
    if (type === "test:stdout" || type === "test:stderr") {
      yield line({ file: data.file, output: data.message });
    } else if (type === "test:start") {
      path[data.nesting] = data.name;
      children[data.nesting + 1] = 0;
    } else if (type === "test:pass" || type === "test:fail") {
      const { nesting, file, details } = data;
      const folder = details.type === "suite" || children[nesting + 1] > 0;
      children[nesting] = (children[nesting] ?? 0) + 1;
      children = children.slice(0, nesting + 1);
      const name = [...path.slice(0, nesting), data.name].join(" › ");
      const skipped = data.skip !== undefined || data.todo !== undefined;
      if (type === "test:fail" && !skipped) {
        if (details.error?.failureType !== "subtestsFailed")
          yield line({ file, name, failed: reason(details.error) });
      } else if (skipped) {
        const why = data.skip ?? data.todo;
        yield line({ file, name: typeof why === "string" && why ? `${name} (${why})` : name, skipped: true });
      } else if (!folder) {
        // Node counts a file without any test as one that passed.
        if (nesting === 0 && data.name === file)
          yield line({ file, name, failed: "this file defines no test" });
        else yield line({ file, name, passed: true });
      }
    }
  }
}
