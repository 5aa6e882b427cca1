/**
 * The gateway of `raven-edge/gateway` that also passes changes to pages, over WebSockets. It is an entry of its own because it is larger.
 *
 * ```ts
 * import gateway from "raven-edge/gateway-live";
 *
 * interface Env {
 *   GATEWAY_SECRET: string;
 * }
 *
 * export default gateway<Env>({
 *   upstream: "https://ravendb.example",
 *   database: "Shop",
 *   path: "/raven",
 *   collections: { Orders: ["create", "read"], Products: "read" },
 *   secret: (env) => env.GATEWAY_SECRET,
 *   live: true,
 * });
 * ```
 *
 * `docs/gateway-callers.md` describes what callers hear.
 */

import type { MakeGateway } from "./dts/entries/gateway-live.js";

export * from "./dts/entries/gateway-live.js";

/** Makes the Worker. A configuration that makes no sense throws at once, with the name of the field. */
declare const gateway: MakeGateway;
export default gateway;
