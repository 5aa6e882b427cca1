// Parts that most apps do not need before their first save: each is loaded when it is first used. Entries say how; nothing
// else in the package calls `import()`, but for the copies of the module inside a script.

import { fail } from "./error.js";
import { TIMEOUT, within } from "./timeout.js";

/** Gives a promise of the module, by name. */
const loaders = {};
/** The modules that are here. */
const modules = {};

/** How parts are loaded: `{ name: () => import(…) }`. */
export function loadLater(parts) {
  Object.assign(loaders, parts);
}

/** Parts that an entry brings along: `{ name: module }`. */
export function bring(parts) {
  Object.assign(modules, parts);
}

/** A part, if it is here. */
export function here(name) {
  return modules[name];
}

/** A part, loaded if need be; a failure is tried again by the next call. `advice`: another way out, if there is one. */
export async function later(name, advice = "") {
  if (!modules[name]) {
    let cause;
    const loading = loaders[name]().catch((error) => {
      cause = error;
    });
    // A download that hangs must not hold up the session that waits for it.
    const loaded = await within(TIMEOUT, loading);
    modules[name] ??=
      loaded ??
      fail(
        "LoadFailed",
        `the part "${name}" cannot be loaded: a service worker imports raven-edge/complete, an offline app caches all scripts${advice}`,
        { cause },
      );
  }
  return modules[name];
}
