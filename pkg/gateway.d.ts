/**
 * The gateway: a Worker between pages and RavenDB. RavenDB refuses pages of another origin and has no rights by document. The gateway
 * decides who may lease ids of a collection, and create, read, change and delete its documents. It forwards only the requests that
 * this package's client sends for ids and for documents by id, and runs named queries. It refuses all other requests.
 *
 * ```ts
 * import gateway from "raven-edge/gateway";
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
 * });
 * ```
 *
 * `docs/gateway.md` describes the rights of callers.
 */

import type { MakeGateway } from "./dts/entries/gateway.js";

export * from "./dts/entries/gateway.js";

/** Makes the Worker. A configuration that makes no sense throws at once, with the name of the field. */
declare const gateway: MakeGateway;
export default gateway;
