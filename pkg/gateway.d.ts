/**
 * The gateway: a Worker before RavenDB, for browsers. RavenDB answers no page of another origin and has no rules for
 * documents; the gateway has: which collections may be leased, created, read, changed and deleted. It passes the routes
 * that the client of this package uses for ids and for documents by id, and refuses all else: queries, streams and operations,
 * too.
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
 * What a caller can and cannot do is written down in `docs/gateway.md`.
 */

export * from "./dts/entries/gateway.js";
export { default } from "./dts/entries/gateway.js";
