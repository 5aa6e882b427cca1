/**
 * The authority: RavenDB's lease, identity, document and batch routes in a Worker, for those who have no RavenDB. One
 * SQLite Durable Object is one database; databases are there as soon as they are asked for.
 *
 * ```ts
 * import { AuthorityObject, authorityFor } from "raven-edge/authority";
 *
 * export { AuthorityObject };
 * export default {
 *   fetch: (request: Request, env: { AUTHORITY: AuthorityNamespace }) =>
 *     authorityFor(env.AUTHORITY, request.url).fetch(request),
 * };
 * ```
 *
 * It trusts every caller, but for pages of another origin: put your own check, or the gateway, before it.
 */

export * from "./dts/entries/authority.js";
