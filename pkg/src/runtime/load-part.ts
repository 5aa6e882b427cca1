// Parts that most apps do not need before their first save: each is loaded when it is first used. Entries say how; nothing
// else in the package calls `import()`, except for the copies of the module inside a script.

import { fail } from "../common/error.js";
import { TIMEOUT, within } from "../common/time.js";

/** The parts by the names that `raven-edge/precache` and the error `LoadFailed` have for them. */
export interface Parts {
  attachments: typeof import("../attachments/attachments.js");
  bulkInsert: typeof import("../bulk-insert/bulk-insert.js");
  /** As an index it also says how others are loaded. */
  capabilities: typeof import("../capabilities/capabilities.js") & { LOADERS?: Loaders };
  cluster: typeof import("../cluster/cluster.js");
  counters: typeof import("../counters/counters.js");
  extras: typeof import("../query-extras/extras.js");
  hilo: typeof import("../numbers/hilo-generators.js");
  live: typeof import("../live/live.js");
  /** There at once, with all entries. */
  liveCalls: Pick<typeof import("../live/live.js"), "changesOf" | "watch">;
  named: typeof import("../named/named-calls.js");
  plural: typeof import("../../gen/plural.js");
  revisions: typeof import("../revisions/revisions.js");
  rql: typeof import("../rql/render.js");
  session: typeof import("../session/rarely-used.js");
  /** Of `raven-edge/offline`. */
  sets: typeof import("../offline/sets/device-set.js");
  /** Other sources of ids than the server's leases. */
  sources: typeof import("../core/other-sources.js");
  sockets: import("../subscriptions/sockets.js").Sockets;
  stream: typeof import("../stream/document-iterator.js");
  timeSeries: typeof import("../time-series/time-series.js");
  trace: typeof import("../tracing/tracing.js");
  subscriptions: typeof import("../subscriptions/subscriptions.js");
}

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
