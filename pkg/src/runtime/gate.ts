// The one gate into WebAssembly. With `panic = "abort"` a trap leaves memory half changed, and promises that never settle.
// Therefore any exception that comes out of an export counts as a trap or a stack overflow (the core's errors leave as
// results, exceptions of the app are caught on their way in), and the instance behind it is never entered again.
// The build bundles this file into the glue of each module.

/** Begins the names of exports that the engine calls, where nobody could catch an exception. xtask gives them this mark. */
const UNATTENDED = "_";

type Export = (...args: unknown[]) => unknown;

/** The gate of one module; its glue takes every instance through it. */
export function gate() {
  const watchers = new Set<(error: unknown) => void>();
  let alive: boolean | undefined;
  return {
    /** Whether the latest instance is alive; `undefined` before the first. */
    isAlive: () => alive,

    /** Calls `watcher(error)`, synchronously, when an instance dies. */
    onDeath: (watcher: (error: unknown) => void) => watchers.add(watcher),

    /** The exports of an instance, each behind the gate. */
    guard(exports: WebAssembly.Exports): WebAssembly.Exports {
      alive = true;
      let dead: unknown;
      const pass =
        (entry: Export, quiet: boolean): Export =>
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
      const guarded: WebAssembly.Exports = {};
      for (const name in exports) {
        const entry = exports[name] as WebAssembly.ExportValue;
        guarded[name] = typeof entry === "function" ? pass(entry as Export, name[0] === UNATTENDED) : entry;
      }
      return guarded;
    },
  };
}
