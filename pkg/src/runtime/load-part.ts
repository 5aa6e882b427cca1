// Parts that most apps do not need before their first save: each is loaded when it is first used. Entries say how; nothing
// else in the package calls `import()`, except for the copies of the module inside a script.

import { fail } from "../common/error.js";
import { TIMEOUT, within } from "../common/time.js";

/** The parts by the names that `raven-edge/precache` and the error `LoadFailed` have for them; `entries/parts/later.ts` says what each is. */
// biome-ignore lint/suspicious/noEmptyInterface: the loader knows no part
export interface Parts {}

export type Loaders = { [Name in keyof Parts]?: () => Promise<Parts[Name]> };

/** Functions that load a part, by name. */
const loaders: Loaders = {};
/** The parts that are loaded. */
const modules: Partial<Parts> = {};

/** Says how parts are loaded: `{ name: () => import(…) }`. */
export function provideLoaders(...parts: Loaders[]): void {
  Object.assign(loaders, ...parts);
}

/** Adds parts that an entry brings along: `{ name: module }`. */
export function provide(...parts: Partial<Parts>[]): void {
  Object.assign(modules, ...parts);
}

/** A part, if it is loaded. */
export function loadedPart<Name extends keyof Parts>(name: Name): Partial<Parts>[Name] {
  return modules[name];
}

async function load<Name extends keyof Parts>(name: Name): Promise<Parts[Name] | undefined> {
  const loader: Loaders[Name] | undefined =
    loaders[name] ?? (await loaders.capabilities?.())?.LOADERS?.[name];
  return loader?.();
}

/** A part, loaded if need be; after a failure the next call tries again. `advice`: another way out, for the message. */
export async function loadPart<Name extends keyof Parts>(name: Name, advice = ""): Promise<Parts[Name]> {
  if (!modules[name]) {
    let cause: unknown;
    const loading = load(name).catch((error: unknown) => {
      cause = error;
    });
    // A download that hangs must not hold up the session that waits for it.
    const loaded = (await within(TIMEOUT, loading)) as Partial<Parts>[Name];
    modules[name] ??=
      loaded ??
      fail(
        "LoadFailed",
        `the part "${name}" cannot be loaded: a service worker imports raven-edge/complete, an offline app caches all scripts${advice}`,
        { cause },
      );
  }
  return modules[name] as Parts[Name];
}
