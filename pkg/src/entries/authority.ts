// The authority as a Durable Object: one object is one database, kept in its SQLite.
//
// A Worker finds the object by `databaseOf(url)` and forwards the request as it is; a prefix before
// `/databases/`, such as `/raven`, is understood. Databases are there as soon as they are asked for.
import { Authority, initSync } from "../../gen/edge_authority.js";
import wasm from "../../gen/edge_authority_bg.wasm";
import { idKey } from "../common/id-key.js";
import { databaseOf, split } from "../wire/database-route.js";

export { databaseOf };

initSync({ module: wasm });

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

/** The stub of the object that is the database of a request, whatever the case of its name. What names none goes to one of them. */
export function authorityFor(namespace: AuthorityNamespace, url: string): AuthorityStub {
  const name = databaseOf(url) ?? "";
  return namespace.get(namespace.idFromName(idKey(name)));
}

/** What the object uses of the platform's state. */
interface ObjectState {
  storage: { sql: unknown; transactionSync<Result>(work: () => Result): Result };
  abort(reason: string): void;
}

/** What the core answers. */
interface Answer {
  status: number;
  headers: [string, string][];
  body: string;
}

/** The class to export for the binding; its migration is one of `new_sqlite_classes`. */
export class AuthorityObject {
  #ctx: ObjectState;
  #authority: Authority | undefined;

  constructor(ctx: unknown) {
    this.#ctx = ctx as ObjectState;
  }

  async fetch(request: Request): Promise<Response> {
    const { base, target } = split(request.url);
    const body = new Uint8Array(await request.arrayBuffer());
    // The Origin is compared with the host that the page sees, which is that of the URL.
    const headers = [...request.headers].filter(([name]) => name !== "host");
    headers.push(["host", new URL(request.url).host]);
    try {
      // One transaction: from here on nothing waits, and an error undoes all of it.
      const answer = this.#ctx.storage.transactionSync(
        (): Answer =>
          this.#open(databaseOf(request.url) ?? "").handle(
            request.method,
            target,
            headers,
            body,
            base,
            Date.now(),
          ),
      );
      // Answers of these statuses must not have a body, not even an empty one.
      const empty = answer.body === "" || [204, 304].includes(answer.status);
      return new Response(empty ? null : answer.body, { status: answer.status, headers: answer.headers });
    } catch (error) {
      this.#authority = undefined;
      // A trap leaves the wasm in an unknown state: this object starts anew with the next request.
      if (error instanceof WebAssembly.RuntimeError) this.#ctx.abort(error.message);
      return Response.json(
        {
          Url: target,
          Type: "System.IO.IOException",
          Message: (error as Error).message,
          Error: String(error),
        },
        { status: 500 },
      );
    }
  }

  #open(database: string): Authority {
    this.#authority ??= new Authority(this.#ctx.storage.sql, {
      database,
      nodeTag: "A",
      checkOrigin: true,
    });
    return this.#authority;
  }
}
