// Cleans up after tests in reverse order: stores before proxies before databases.

const stacks = new WeakMap();

/** Runs `action` after the test, before actions that were registered earlier. */
export function after(t, action) {
  let stack = stacks.get(t);
  if (stack === undefined) {
    stack = [];
    stacks.set(t, stack);
    t.after(async () => {
      const problems = [];
      for (const next of stack.reverse()) {
        try {
          await next();
        } catch (error) {
          problems.push(error);
        }
      }
      if (problems.length > 0) throw new AggregateError(problems, "cleaning up failed");
    });
  }
  stack.push(action);
}
