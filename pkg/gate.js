// The one gate into WebAssembly. With `panic = "abort"` a trap leaves memory half changed and promises that never
// settle. So: any exception that comes out of an export is a trap or a stack overflow (errors of ours leave as
// results, exceptions of the app are caught on their way in), and the instance behind it is never entered again.

/** Begins the names of entries that the engine calls, not the façade: nobody is there to catch what they would throw. Set by xtask. */
const UNATTENDED = "_";

/** The gate of one module; its glue takes every instance through it. */
export function gate() {
  const watchers = new Set();
  let alive;
  return {
    /** Whether the last instance that came is alive; `undefined` before the first. */
    isAlive: () => alive,

    /** Calls `watcher(error)`, synchronously, when an instance dies. */
    onDeath: (watcher) => watchers.add(watcher),

    /** The exports of an instance, each behind the gate. */
    guard(exports) {
      alive = true;
      let dead;
      const pass =
        (entry, quiet) =>
        (...args) => {
          if (dead === undefined) {
            try {
              return entry(...args);
            } catch (error) {
              dead = error;
              alive = false;
              for (const watcher of watchers) watcher(error);
            }
          }
          if (!quiet) throw dead;
        };
      const guarded = {};
      for (const name in exports) {
        const entry = exports[name];
        guarded[name] = typeof entry === "function" ? pass(entry, name[0] === UNATTENDED) : entry;
      }
      return guarded;
    },
  };
}
