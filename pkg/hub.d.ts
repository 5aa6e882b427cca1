/**
 * The lease hub: a SQLite Durable Object that leases large ranges of numbers and grants small ones to isolates and browsers, by
 * RavenDB's own lease routes. Thousands of short-lived clients then cost RavenDB one request per many thousand ids. `docs/hub.md`
 * explains when to use it.
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
