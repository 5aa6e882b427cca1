// Requests that clients send to the gateway, and malicious ones.

export const SCRIPT =
  "const m = getMetadata(this); " +
  "if (m['@change-vector'] + ' ' + m['@last-modified'] === args.fence && this.Max === args.high) this.Max = args.last";

/** The gateway's configuration for the tables of requests. */
export const OPTIONS = {
  path: "/raven",
  collections: {
    Orders: "write",
    Drafts: "create",
    Products: "read",
    Notes: ["create", "read"],
    Files: {
      allow: ["create", "read", "attach", "readAttachments"],
      attachments: { maxBytes: 2_000, contentTypes: ["image/*"] },
    },
  },
  limits: { range: 64, body: 8_192, upload: 4_096, commands: 6, ids: 8, page: 20, requests: 3 },
  origins: ["https://app.example"],
  headers: ["X-User"],
};

const JSON_TYPE = { "content-type": "application/json" };

/** A request; a body that is not a string is sent as JSON. */
export function request(method, path, body, headers = {}) {
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  return { method, path, body: text, headers: text === undefined ? headers : { ...JSON_TYPE, ...headers } };
}

/** A document of a collection. */
export const document = (collection, more = {}) => ({
  a: 1,
  "@metadata": { "@collection": collection, ...more },
});

/** The requests of a client for a database. */
export function client(base) {
  const of = `/databases/${base}`;
  const raven = `/raven${of}`;
  const get = (query, headers) => request("GET", `${raven}/docs?${query}`, undefined, headers);
  const batch = (commands, headers) => request("POST", `${raven}/bulk_docs`, { Commands: commands }, headers);
  const text = (body, route = "bulk_docs") => request("POST", `${raven}/${route}`, body);
  const several = (parts, headers) => request("POST", `${raven}/multi_get`, { Requests: parts }, headers);
  const part = (route, query, more) => ({ Url: `${of}/${route}`, Query: query, Method: "GET", ...more });
  const lease = (tag, { more = "", read = `Raven%2FHilo%2F${tag}`, headers } = {}) =>
    several(
      [
        part("hilo/next", `?tag=${tag}&identityPartsSeparator=%2F${more}&nonce=5`),
        part("docs", `?id=${read}`),
      ],
      headers,
    );
  const put = (id, collection, vector = "", more = {}) => ({
    Type: "PUT",
    Id: id,
    ChangeVector: vector,
    Document: { text: "x", "@metadata": { "@collection": collection, ...more } },
  });
  const remove = (id, more) => ({ Type: "DELETE", Id: id, ChangeVector: null, ...more });
  const patch = (tag, fence, high, last, more) => ({
    Id: `Raven/Hilo/${tag}`,
    ChangeVector: null,
    Patch: { Script: SCRIPT, Values: { fence, high, last } },
    Type: "PATCH",
    ...more,
  });
  const one = (method, id, body, headers) =>
    request(method, `${raven}/docs?id=${encodeURIComponent(id)}`, body, headers);
  return { of, raven, get, text, batch, several, part, lease, put, remove, patch, one };
}
