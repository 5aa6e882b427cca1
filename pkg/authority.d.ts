/**
 * The authority: RavenDB's routes for leases, identities, documents and batches in a Worker, for apps without RavenDB. Each database
 * is one SQLite Durable Object, which the first request creates.
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
 * It trusts every caller except pages of another origin: put your own check, or the gateway, in front of it.
 */

export * from "./dts/entries/authority.js";
