// The authority as a Durable Object: one object is one database, kept in its SQLite.
//
// A Worker finds the object by `databaseOf(url)` and forwards the request as it is; a prefix before
// `/databases/`, such as `/raven`, is understood. Databases are there as soon as they are asked for.
import { Authority, initSync } from "./gen/edge.js";
import wasm from "./gen/edge_bg.wasm";
import { fold } from "./hot/fold.js";
import { databaseOf, split } from "./lib/target.js";

export { databaseOf };

initSync({ module: wasm });

/** The stub of the object that is a database. Names are the same in any case; what names none goes to one that is none. */
export function authorityFor(namespace, url) {
  const name = databaseOf(url) ?? "";
  return namespace.get(namespace.idFromName(fold(name)));
}

export class AuthorityObject {
  #ctx;
  #authority;

  constructor(ctx) {
    this.#ctx = ctx;
  }

  async fetch(request) {
    const { base, target } = split(request.url);
    const body = new Uint8Array(await request.arrayBuffer());
    // The Origin is compared with the host that the page sees, which is that of the URL.
    const headers = [...request.headers].filter(([name]) => name !== "host");
    headers.push(["host", new URL(request.url).host]);
    try {
      // One transaction: from here on nothing waits, and an error undoes all of it.
      const answer = this.#ctx.storage.transactionSync(() =>
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
        { Url: target, Type: "System.IO.IOException", Message: error.message, Error: String(error) },
        { status: 500 },
      );
    }
  }

  #open(database) {
    this.#authority ??= new Authority(this.#ctx.storage.sql, {
      database,
      nodeTag: "A",
      checkOrigin: true,
    });
    return this.#authority;
  }
}
