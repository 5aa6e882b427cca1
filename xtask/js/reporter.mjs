// A reporter for `node --test`: one JSON line per finished test, which xtask counts and shows. Only tests without
// subtests count. A test with subtests is reported only if its own body fails.
import { inspect } from "node:util";

const line = (value) => `${JSON.stringify(value)}\n`;

/** The reason of a failure, without the stack frames of the test runner. */
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
      yield line({ output: data.message });
    } else if (type === "test:start") {
      path[data.nesting] = data.name;
      children[data.nesting + 1] = 0;
    } else if (type === "test:pass" || type === "test:fail") {
      const { nesting, file, details } = data;
      const folder = details.type === "suite" || children[nesting + 1] > 0;
      children[nesting] = (children[nesting] ?? 0) + 1;
      children = children.slice(0, nesting + 1);
      // Node reports a file that crashes, or that defines no test, as a test with the file's path as its name.
      const whole = nesting === 0 && data.name === file;
      const name = whole ? "the file as a whole" : [...path.slice(0, nesting), data.name].join(" › ");
      const skipped = data.skip !== undefined || data.todo !== undefined;
      if (type === "test:fail" && !skipped) {
        if (details.error?.failureType !== "subtestsFailed")
          yield line({ name, failed: reason(details.error) });
      } else if (skipped) {
        const why = data.skip ?? data.todo;
        yield line({ name: typeof why === "string" && why ? `${name} (${why})` : name, skipped: true });
      } else if (!folder) {
        yield line(whole ? { name, failed: "it defines no test" } : { name, passed: true });
      }
    }
  }
}
