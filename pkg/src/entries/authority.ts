// The authority as a Durable Object: one object is one database, kept in its SQLite.
//
// A Worker finds the object by `authorityFor` and forwards the request unchanged; the path may have a prefix before `/databases/`, such
// as `/raven`. The first request creates a database.
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
  // `any`, because the type of ids is the platform's own.
  // biome-ignore lint/suspicious/noExplicitAny: a namespace takes its own ids only
  get(id: any): AuthorityStub;
}

/** The stub of the object for the database of a request; the case of its name does not matter. Requests without a database share one. */
export function authorityFor(namespace: AuthorityNamespace, url: string): AuthorityStub {
  const name = databaseOf(url) ?? "";
  return namespace.get(namespace.idFromName(idKey(name)));
}

/** What the object uses of the platform's state. */
interface ObjectState {
  storage: { sql: unknown; transactionSync<Result>(work: () => Result): Result };
  abort(reason: string): void;
}

/** A response of the core. */
type CoreResponse = [status: number, body: string, headers: [string, string][]];

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
    // The core compares `Origin` with the host of the URL, which is the one that the page uses.
    const headers = [...request.headers].filter(([name]) => name !== "host");
    headers.push(["host", new URL(request.url).host]);
    try {
      // One synchronous transaction: an error undoes all of it.
      const [status, text, sent] = this.#ctx.storage.transactionSync(() => {
        this.#authority ??= new Authority(this.#ctx.storage.sql, databaseOf(request.url) ?? "", "A", true);
        const at = Date.now();
        return this.#authority.handle(request.method, target, headers.flat(), body, base, at) as CoreResponse;
      });
      // The constructor refuses a body for these statuses, also an empty one.
      const empty = text === "" || [204, 304].includes(status);
      return new Response(empty ? null : text, { status, headers: sent });
    } catch (error) {
      this.#authority = undefined;
      // A trap leaves WebAssembly in an unknown state: the platform makes a new object for the next request.
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
}
