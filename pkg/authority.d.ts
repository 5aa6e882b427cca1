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

/** What the authority uses of a Durable Object's stub. */
export interface AuthorityStub {
  fetch(request: Request): Promise<Response>;
}

/** What the authority uses of a `DurableObjectNamespace`. */
export interface AuthorityNamespace {
  idFromName(name: string): unknown;
  // The platform's own id type stays the platform's.
  // biome-ignore lint/suspicious/noExplicitAny: a namespace takes its own ids only
  get(id: any): AuthorityStub;
}

/** The class to export for the binding; its migration is one of `new_sqlite_classes`. */
export class AuthorityObject {
  constructor(ctx: unknown);
  fetch(request: Request): Promise<Response>;
}

/** The database that a request is about; undefined when it is about none. */
export function databaseOf(url: string): string | undefined;

/** The stub of the object that is the database of a request. What names none goes to one of them. */
export function authorityFor(namespace: AuthorityNamespace, url: string): AuthorityStub;
