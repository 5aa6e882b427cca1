// Batches with hidden commands.

import { document, request } from "../requests.mjs";

export function batches({ raven, text, batch, put, remove, one }) {
  const hidden = remove("secrets/1-A");
  return [
    ["a batch of nothing", text({ Commands: [] }), "LimitExceeded"],
    [
      "seven commands",
      batch(Array.from({ length: 7 }, (_, at) => put(`orders/5${at}-A`, "Orders"))),
      "LimitExceeded",
    ],
    [
      "a deletion that hides among puts",
      batch([put("orders/5-A", "Orders"), hidden, put("orders/6-A", "Orders")]),
      "CollectionRefused",
    ],
    [
      "a time series",
      batch([{ Type: "TimeSeries", Id: "orders/1-A", TimeSeries: { Name: "Prices", Appends: [] } }]),
      "DocumentRefused",
    ],
    [
      "a second list of commands",
      text(
        `{"Commands":[${JSON.stringify(put("orders/5-A", "Orders"))}],"Commands":[${JSON.stringify(hidden)}]}`,
      ),
      "RequestMalformed",
    ],
    [
      "commands after another member",
      text({ Options: null, Commands: [put("orders/5-A", "Orders")] }),
      "RequestMalformed",
    ],
    [
      "another member after the commands",
      text({ Commands: [put("orders/5-A", "Orders")], Options: null }),
      "RequestMalformed",
    ],
    [
      "a cluster-wide transaction",
      text({ Commands: [put("orders/5-A", "Orders")], TransactionMode: "ClusterWide" }),
      "RequestMalformed",
    ],
    ["commands in small letters", text({ commands: [put("orders/5-A", "Orders")] }), "RequestMalformed"],
    [
      "a type twice",
      text(
        `{"Commands":[{"Type":"PUT","Type":"DELETE","Id":"orders/5-A","ChangeVector":"","Document":{"@metadata":{"@collection":"Orders"}}}]}`,
      ),
      "RequestMalformed",
    ],
    [
      "an id twice",
      text(`{"Commands":[{"Type":"DELETE","Id":"orders/5-A","ChangeVector":null,"Id":"secrets/1-A"}]}`),
      "RequestMalformed",
    ],
    ["a type in small letters", batch([{ ...put("orders/5-A", "Orders"), Type: "put" }]), "DocumentRefused"],
    ["no type", batch([{ ...put("orders/5-A", "Orders"), Type: undefined }]), "DocumentRefused"],
    ["a deletion by prefix", batch([remove("orders/", { IdPrefixed: true })]), "DocumentRefused"],
    ["a deletion by prefix", batch([remove("orders/1-A", { IdPrefixed: true })]), "DocumentRefused"],
    ["a deletion of a counter", batch([remove("Raven/Hilo/orders")]), "CollectionRefused"],
    ["a deletion where documents may only be created", batch([remove("drafts/1001-A")]), "CollectionRefused"],
    [
      "a change where documents may only be created",
      batch([put("drafts/1001-A", "Drafts", null)]),
      "CollectionRefused",
    ],
    ["a change by a known vector", batch([put("drafts/1001-A", "Drafts", "A:1-x")]), "CollectionRefused"],
    [
      "a change without a change vector",
      batch([{ ...put("drafts/5-A", "Drafts"), ChangeVector: undefined }]),
      "CollectionRefused",
    ],
    ["a document where it may only be read", batch([put("products/5-A", "Products")]), "CollectionRefused"],
    ["a document of another collection", batch([put("orders/5-A", "Secrets")]), "DocumentRefused"],
    [
      "a document of a permitted collection under another's id",
      batch([put("orders/5-A", "Drafts")]),
      "DocumentRefused",
    ],
    ["a permitted collection under a foreign id", batch([put("secrets/5-A", "Orders")]), "CollectionRefused"],
    ["a collection in other letters", batch([put("orders/5-A", "ORDERS")]), "DocumentRefused"],
    [
      "a document without metadata",
      batch([{ ...put("orders/5-A", "Orders"), Document: { a: 1 } }]),
      "DocumentRefused",
    ],
    [
      "a document that is not an object",
      batch([{ ...put("orders/5-A", "Orders"), Document: [] }]),
      "DocumentRefused",
    ],
    ["a counter as a document", batch([put("Raven/Hilo/orders", "@hilo")]), "CollectionRefused"],
    ["an id that the server makes", batch([put("orders/", "Orders")]), "DocumentRefused"],
    ["an id that the cluster makes", batch([put("orders|", "Orders")]), "DocumentRefused"],
    ["no id at all", batch([put("", "Orders")]), "DocumentRefused"],
    [
      "metadata with an id of its own",
      batch([put("orders/5-A", "Orders", "", { "@id": "secrets/1-A" })]),
      "DocumentRefused",
    ],
    [
      "metadata with a vector of its own",
      batch([put("orders/5-A", "Orders", "", { "@change-vector": "A:1" })]),
      "DocumentRefused",
    ],
    [
      "metadata with flags",
      batch([put("orders/5-A", "Orders", "", { "@flags": "HasRevisions" })]),
      "DocumentRefused",
    ],
    [
      "metadata of an older version",
      batch([put("orders/5-A", "Orders", "", { "Raven-Entity-Name": "Secrets" })]),
      "DocumentRefused",
    ],
    [
      "a script over a document",
      batch([
        { Type: "PATCH", Id: "orders/1-A", ChangeVector: null, Patch: { Script: "put('secrets/2-A', {})" } },
      ]),
      "ReturnRefused",
    ],
    [
      "a script over many documents",
      batch([{ Type: "BatchPATCH", Ids: [{ Id: "orders/1-A" }], Patch: { Script: "x" } }]),
      "DocumentRefused",
    ],
    [
      "a counter of a document",
      batch([{ Type: "Counters", Id: "orders/1-A", Counters: {} }]),
      "DocumentRefused",
    ],
    [
      "a compare-exchange value",
      batch([{ Type: "CompareExchangePUT", Key: "x", Index: 0, Document: {} }]),
      "DocumentRefused",
    ],
    ["a revision", batch([{ Type: "ForceRevisionCreation", Id: "orders/1-A" }]), "DocumentRefused"],
    ["a heartbeat", batch([{ Type: "HeartBeat" }]), "DocumentRefused"],
    [
      "a check whether a foreign document has changed",
      batch([{ Type: "BatchTrackChanges", TrackedEntities: { "secrets/1-A": "A:1-x" } }]),
      "CollectionRefused",
    ],
    ["a PUT of another collection", one("PUT", "orders/5-A", document("Secrets")), "DocumentRefused"],
    [
      "a PUT where documents may only be created",
      one("PUT", "drafts/1001-A", document("Drafts")),
      "CollectionRefused",
    ],
    [
      "a PUT over a known vector there",
      one("PUT", "drafts/1001-A", document("Drafts"), { "if-match": '"A:1-x"' }),
      "CollectionRefused",
    ],
    [
      "a PUT with a bare If-Match",
      one("PUT", "orders/5-A", document("Orders"), { "if-match": "A:1-x" }),
      "RequestMalformed",
    ],
    [
      "a PUT with a weak If-Match",
      one("PUT", "orders/5-A", document("Orders"), { "if-match": 'W/"A:1-x"' }),
      "RequestMalformed",
    ],
    [
      "a PUT of two ids",
      request("PUT", `${raven}/docs?id=orders%2F5-A&id=secrets%2F1-A`, document("Orders")),
      "RequestMalformed",
    ],
    ["a DELETE of a foreign document", one("DELETE", "secrets/1-A"), "CollectionRefused"],
    ["a DELETE where documents may only be created", one("DELETE", "drafts/1001-A"), "CollectionRefused"],
    ["a DELETE where documents may only be read", one("DELETE", "products/1-A"), "CollectionRefused"],
  ];
}
