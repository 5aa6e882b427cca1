// A gateway with rows, named queries and patches, whose callers say in a header who they are.
import assert from "node:assert/strict";
import { gateway } from "./gateway.mjs";
import { send } from "./server.mjs";
import { open } from "./store.mjs";

export const COLLECTIONS = {
  Notes: { allow: "write", rows: { owner: "$name" } },
  Boards: { allow: "read", rows: { members: { contains: "$name" }, team: { in: "$teams" } } },
  Products: "read",
};

export const QUERIES = {
  notes: {
    query: "from Notes where owner = $name or shared = true order by at as long include product",
    page: { default: 3, max: 10 },
  },
  openNotes: {
    query: "from Notes where status = $status and at >= $from order by at as long",
    parameters: { status: { type: "enum", values: ["open", "done"] }, from: { type: "integer", default: 0 } },
    page: { default: 10 },
    projection: ["at"],
    wait: 30_000,
  },
  allNotes: { query: "from Notes", total: true },
};

export const PATCHES = {
  addLine: {
    collection: "Notes",
    script: "this.lines = [...(this.lines || []), { by: $name, ...$line }]",
    parameters: { line: { type: "object", maxBytes: 200 } },
  },
  give: { collection: "Notes", script: "this.owner = args.to", parameters: { to: { type: "string" } } },
  rename: {
    collection: "Products",
    script: "this.name = $to",
    parameters: { to: { type: "string", maxLength: 20 } },
  },
};

/** The caller is the one that the header names. */
const AUTHORIZE = `authorize: (request) => {
  const name = request.headers.get("x-user");
  return name ? { name, teams: [name + "s", "all"] } : null;
}`;

/**
 * The gateway: `as` opens the store of a caller; `ask` sends a named query, `stream` asks for all its results, `write` sends a batch;
 * `options` and `functions` are further configuration.
 */
export async function served(t, server, { options = {}, functions = "", global, more } = {}) {
  const made = await gateway(t, {
    server,
    base: options.database,
    global,
    options: {
      claims: ["name", "teams"],
      collections: COLLECTIONS,
      queries: QUERIES,
      patches: PATCHES,
      ...options,
    },
    functions: `${AUTHORIZE}, ${functions}`,
    more,
  });
  const { url, base, wire } = made;
  const as = (name) => open(t, url, base, { headers: () => ({ "x-user": name }) });
  const post = async (name, path, body, headers = {}) => {
    const response = await fetch(`${url}/databases/${base}/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(name && { "x-user": name }), ...headers },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return {
      status: response.status,
      etag: response.headers.get("etag"),
      text,
      body: text && JSON.parse(text),
    };
  };
  return {
    url,
    wire,
    base,
    as,
    ask: (name, query, body = {}, headers) => post(name, `queries/named/${query}`, body, headers),
    stream: (name, query, body = {}) => post(name, `streams/queries/named/${query}`, body),
    write: (name, ...Commands) => post(name, "bulk_docs", { Commands }),
  };
}

/** Stores documents directly on the server. */
export async function bulk(server, base, documents) {
  const Commands = Object.entries(documents).map(([Id, Document]) => ({
    Type: "PUT",
    Id,
    ChangeVector: null,
    Document,
  }));
  const { status, text } = await send(server.url, "POST", `/databases/${base}/bulk_docs`, { Commands });
  assert.equal(status, 201, text);
}

export const note = (owner, more = {}) => ({ owner, ...more, "@metadata": { "@collection": "Notes" } });
