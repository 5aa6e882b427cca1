/**
 * The hub for changes: a Durable Object that holds one connection to RavenDB for all pages that listen to changes of a database through
 * the gateway.
 *
 * ```ts
 * import gateway from "raven-edge/gateway-live";
 * import type { HubNamespace } from "raven-edge/hub";
 *
 * export { ChangesHub } from "raven-edge/changes-hub";
 *
 * interface Env {
 *   GATEWAY_SECRET: string;
 *   CHANGES_HUB: HubNamespace;
 * }
 *
 * export default gateway<Env>({
 *   upstream: "https://ravendb.example",
 *   database: "Shop",
 *   collections: { Orders: "read" },
 *   secret: (env) => env.GATEWAY_SECRET,
 *   live: { hub: (env) => env.CHANGES_HUB },
 * });
 * ```
 *
 * `docs/changes-hub.md` describes what it does.
 */

export * from "./dts/entries/changes-hub.js";
