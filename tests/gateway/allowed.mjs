// Requests that the gateway accepts.

import { document, request } from "./requests.mjs";

/** Accepted requests: `[name, request, status, expected content of the response]`. */
export function allowed({ of, get, batch, several, part, lease, put, remove, one }) {
  const shows =
    (...ids) =>
    ({ Results }) =>
      JSON.stringify(Results.map((found) => found?.["@metadata"]["@id"] ?? null)) === JSON.stringify(ids);
  return [
    ["a lease with its fence", lease("orders"), 200, ({ Results: [{ StatusCode }] }) => StatusCode === 201],
    ["a lease of a collection that may only be created", lease("drafts"), 200],
    ["a lease whose tag has other letter case", lease("Orders"), 200],
    [
      "a lease with size and time of the last one",
      lease("orders", { more: "&lastBatchSize=32&lastRangeAt=2026-11-21T01%3A30%3A36.7546027Z" }),
      200,
    ],
    [
      "a lease of a billion numbers is limited",
      lease("orders", { more: "&lastBatchSize=1000000000" }),
      200,
      ({ Results: [{ Result }] }) => Result.High - Result.Low + 1 === 64,
    ],
    [
      "a doubled lease stays within the limit",
      lease("orders", {
        more: `&lastBatchSize=4000&lastRangeAt=${encodeURIComponent("2999-11-21T01:30:36.7546027Z")}`,
      }),
      200,
      ({ Results: [{ Result }] }) => Result.High - Result.Low + 1 <= 64,
    ],
    [
      "lastMax is dropped: callers cannot move a counter",
      lease("orders", { more: "&lastMax=9000000000000000" }),
      200,
      ({ Results: [{ Result }] }) => Result.High < 1_000_000,
    ],
    [
      "a lease alone",
      request("GET", `/raven${of}/hilo/next?tag=orders&identityPartsSeparator=%2F&nonce=1`),
      201,
    ],
    [
      "the topology",
      request("GET", `/raven/topology?name=${of.slice(11)}`),
      200,
      ({ Nodes }) => Nodes.length === 1 && Nodes[0].Url.endsWith("/raven"),
    ],
    ["a document by id", get("id=products%2F1-A"), 200, shows("products/1-A")],
    ["a document whose id has other letter case", get("id=PRODUCTS%2F1-a"), 200, shows("products/1-A")],
    ["an encoding in small letters", get("id=products%2f1-A"), 200, shows("products/1-A")],
    ["letters that need no encoding, encoded", get("id=%70roducts%2F1%2DA"), 200, shows("products/1-A")],
    ["a slash that is not encoded", get("id=products/1-A"), 200, shows("products/1-A")],
    [
      "an id beyond ASCII",
      get(`id=${encodeURIComponent("products/käse 😀")}`),
      200,
      shows("products/käse 😀"),
    ],
    ["a plus is a blank", get("id=products%2Fk%C3%A4se+%F0%9F%98%80"), 200, shows("products/käse 😀")],
    ["several documents", get("id=products%2F1-A&id=notes%2F1-A"), 200, shows("products/1-A", "notes/1-A")],
    ["a missing one is null", get("id=products%2F1-A&id=products%2F404-A"), 200, shows("products/1-A", null)],
    ["one that is missing alone", get("id=products%2F404-A"), 404],
    ["a document of another collection under an allowed id is not found", get("id=products%2F9-A"), 404],
    ["among others it is null", get("id=products%2F1-A&id=products%2F9-A"), 200, shows("products/1-A", null)],
    ["its metadata alone is not there either", get("id=products%2F9-A&metadataOnly=true"), 404],
    [
      "included documents are filtered too",
      get("id=orders%2F1-A&include=secret&include=product"),
      200,
      ({ Includes }) => JSON.stringify(Object.keys(Includes)) === '["products/1-A"]',
    ],
    [
      "a counter cannot be included",
      get("id=orders%2F1-A&include=counter"),
      200,
      ({ Includes }) => Object.keys(Includes).length === 0,
    ],
    [
      "an include with a suffix",
      get(`id=orders%2F1-A&include=${encodeURIComponent("part[{0}/1-A]")}`),
      200,
      ({ Includes }) => JSON.stringify(Object.keys(Includes)) === '["products/1-A"]',
    ],
    ["metadata alone", get("id=products%2F1-A&metadataOnly=true"), 200, shows("products/1-A")],
    [
      "ids in a body",
      request("POST", `/raven${of}/docs`, { Ids: ["products/1-A", "products/9-A"] }),
      200,
      shows("products/1-A", null),
    ],
    [
      "ids in a body, with an escape",
      request("POST", `/raven${of}/docs`, '{"Ids":["products\\u002f1-A"]}'),
      200,
      shows("products/1-A"),
    ],
    ["whether a document is there", one("HEAD", "products/1-A"), 200],
    ["whether a document of another collection exists: no", one("HEAD", "products/9-A"), 404],
    ["whether one is there that is not", one("HEAD", "products/404-A"), 404],
    [
      "a listing without documents of other collections",
      get("startsWith=products%2F&pageSize=20"),
      200,
      ({ Results }) =>
        Results.length === 2 && Results.every((found) => found["@metadata"]["@collection"] === "Products"),
    ],
    [
      "a listing with all parameters of the client",
      get("startsWith=products%2F&matches=1*&exclude=2*&start=0&pageSize=5&startAfter=products%2F0"),
      200,
    ],
    [
      "lazy loads",
      several([part("docs", "?id=products%2F1-A", { Headers: {} }), part("docs", "?id=products%2F9-A")]),
      200,
      ({ Results }) => Results[0].StatusCode === 200 && Results[1].StatusCode === 404,
    ],
    ["a new document", batch([put("orders/1001-A", "Orders")]), 201],
    ["a new document where nothing may be read", batch([put("drafts/1001-A", "Drafts")]), 201],
    [
      "a new document in another order of members",
      request(
        "POST",
        `/raven${of}/bulk_docs`,
        `{"Commands":[{"Document":{"@metadata":{"@collection":"Orders"}},"ChangeVector":"","Id":"orders/1002-A","Type":"PUT"}]}`,
      ),
      201,
    ],
    ["over a document", batch([put("orders/1-A", "Orders", null, { "Raven-Node-Type": "Order" })]), 201],
    [
      "a document that expires",
      batch([put("orders/1003-A", "Orders", "", { "@expires": "2999-01-01T00:00:00.0000000Z" })]),
      201,
    ],
    [
      "creating an existing document fails at the server",
      batch([put("drafts/1001-A", "Drafts")]),
      409,
      (error) => error.ActualChangeVector === undefined && !/A:\d/.test(JSON.stringify(error)),
    ],
    [
      "changing a document of another collection fails at the server",
      batch([put("orders/777-A", "Orders", null)]),
      500,
      ({ Type }) => Type.endsWith("DocumentCollectionMismatchException"),
    ],
    [
      "the same by PUT",
      one("PUT", "orders/777-A", document("Orders")),
      500,
      ({ Type }) => Type.endsWith("DocumentCollectionMismatchException"),
    ],
    ["a deletion", batch([remove("orders/1002-A")]), 201],
    ["a new document by PUT", one("PUT", "notes/1001-A", document("Notes"), { "if-match": '""' }), 201],
    [
      "a PUT does not reveal whether RavenDB has an attachment",
      one("PUT", "orders/1-A", document("Orders", { "@attachments": [{ Name: "a", Hash: "b" }] })),
      201,
    ],
    ["over a document by PUT", one("PUT", "orders/1-A", document("Orders")), 201],
    ["a deletion by DELETE", one("DELETE", "orders/1003-A"), 204],
    [
      "documents that were only read",
      batch([{ Type: "BatchTrackChanges", TrackedEntities: { "products/1-A": "A:1-x" } }]),
      409,
    ],
    [
      "a page of an allowed origin",
      get("id=products%2F1-A", { origin: "https://app.example", "sec-fetch-site": "cross-site" }),
      200,
    ],
    [
      "a page of the gateway's own origin",
      get("id=products%2F1-A", { "sec-fetch-site": "same-origin" }),
      200,
    ],
    [
      "a beacon's type",
      request("POST", `/raven${of}/docs`, '{"Ids":["products/1-A"]}', {
        "content-type": "text/plain;charset=UTF-8",
      }),
      200,
    ],
  ];
}
