/**
 * The lease hub: a SQLite Durable Object that leases large ranges of numbers and lends small ones to isolates and browsers
 * through RavenDB's own lease routes, so that thousands of short-lived clients cost RavenDB one request for many thousand
 * ids. `docs/hub.md` tells when to use it.
 *
 * ```ts
 * import { hub } from "raven-edge/hub";
 *
 * const shop = hub({
 *   upstream: (env: Env) => env.RAVENDB_URL,
 *   namespace: (env: Env) => env.HUB,
 * });
 * export const LeaseHub = shop.LeaseHub;
 * export default { fetch: shop.fetch };
 *
 * interface Env {
 *   RAVENDB_URL: string;
 *   HUB: HubNamespace;
 * }
 * ```
 */

export * from "./dts/entries/hub.js";
