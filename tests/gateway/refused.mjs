// The table of what the gateway refuses, and forwards nothing of.

import { request, SCRIPT } from "./requests.mjs";

const document = (collection, more = {}) => ({ a: 1, "@metadata": { "@collection": collection, ...more } });

/** What is refused before anything is sent: `[name, request, Type]`. */
export function refused(
  { of, get, batch, several, part, lease, put, remove, patch, one },
  { ann, bob, fresh },
) {
  const raven = `/raven${of}`;
  const text = (body, route = "bulk_docs") => request("POST", `${raven}/${route}`, body);
  const asAnn = { "x-user": "ann" };
  const back = (tag, fence, high, last, more) => batch([patch(tag, fence, high, last, more)], asAnn);
  const scripted = (Script) =>
    back("orders", ann.fence, ann.high, ann.low, {
      Patch: { Script, Values: { fence: ann.fence, high: ann.high, last: ann.low } },
    });
  const last = (written) => ({
    ...text(
      JSON.stringify({ Commands: [patch("orders", ann.fence, ann.high, 0)] }).replace(
        '"last":0',
        `"last":${written}`,
      ),
    ),
    headers: { "content-type": "application/json", ...asAnn },
  });
  const hidden = remove("secrets/1-A");
  return [
    // Routes and verbs.
    ["another mount", request("GET", `${of}/docs?id=products%2F1-A`), "RouteRefused"],
    ["nothing at all", request("GET", "/"), "RouteRefused"],
    ["the administration", request("GET", "/raven/admin/databases"), "RouteRefused"],
    [
      "the deletion of the database",
      request("DELETE", "/raven/admin/databases", { DatabaseNames: ["x"] }),
      "RouteRefused",
    ],
    ["the server's version", request("GET", "/raven/build/version"), "RouteRefused"],
    ["the names of databases", request("GET", "/raven/databases"), "RouteRefused"],
    ["another database", request("GET", "/raven/databases/system/docs?id=products%2F1-A"), "RouteRefused"],
    [
      "another database by steps back",
      request("GET", `${raven}/../../databases/system/docs?id=products%2F1-A`),
      "RouteRefused",
    ],
    [
      "another database by encoded steps back",
      request("GET", `${raven}/%2e%2e/system/docs?id=products%2F1-A`),
      "RouteRefused",
    ],
    [
      "a database with a slash in its name",
      request("GET", `/raven/databases/${of.slice(11)}%2Fdocs/docs?id=products%2F1-A`),
      "RouteRefused",
    ],
    [
      "a database with a broken name",
      request("GET", "/raven/databases/%zz/docs?id=products%2F1-A"),
      "RequestMalformed",
    ],
    ["a route in capitals", request("GET", `${raven}/Docs?id=products%2F1-A`), "RouteRefused"],
    ["a route with encoded letters", request("GET", `${raven}/%64ocs?id=products%2F1-A`), "RouteRefused"],
    ["a route with a slash behind it", request("GET", `${raven}/docs/?id=products%2F1-A`), "RouteRefused"],
    ["a route with two slashes", request("GET", `${raven}//docs?id=products%2F1-A`), "RouteRefused"],
    [
      "databases in capitals",
      request("GET", `/raven/Databases/${of.slice(11)}/docs?id=products%2F1-A`),
      "RouteRefused",
    ],
    ["queries", text({ Query: "from Secrets" }, "queries"), "RouteRefused"],
    ["queries by address", request("GET", `${raven}/queries?query=from%20Secrets`), "RouteRefused"],
    ["streams", request("GET", `${raven}/streams/docs?startsWith=orders%2F`), "RouteRefused"],
    ["statistics", request("GET", `${raven}/stats`), "RouteRefused"],
    ["identities", request("POST", `${raven}/identity/next?name=orders`), "RouteRefused"],
    ["all identities", request("GET", `${raven}/debug/identities`), "RouteRefused"],
    ["compare-exchange", request("GET", `${raven}/cmpxchg?key=x`), "RouteRefused"],
    ["attachments", request("GET", `${raven}/attachments?id=products%2F1-A&name=x`), "RouteRefused"],
    ["the unfenced return", request("PUT", `${raven}/hilo/return?tag=orders&end=32&last=0`), "RouteRefused"],
    [
      "a patch by its own route",
      request("PATCH", `${raven}/docs?id=orders%2F1-A`, { Patch: { Script: "this.x = 1" } }),
      "RouteRefused",
    ],
    ["a lease by POST", request("POST", `${raven}/hilo/next?tag=orders`, {}), "RouteRefused"],
    ["OPTIONS that asks for nothing", request("OPTIONS", `${raven}/docs`), "RouteRefused"],
    ["the topology of another database", request("GET", "/raven/topology?name=system"), "RouteRefused"],
    ["the topology of the server", request("GET", "/raven/topology"), "RouteRefused"],
    ["a URL behind the route", request("GET", `${raven}/docs;id=secrets?id=products%2F1-A`), "RouteRefused"],
    // Ids and their encodings.
    ["a document of no collection here", get("id=secrets%2F1-A"), "CollectionRefused"],
    ["a document that may only be created", get("id=drafts%2F1-A"), "CollectionRefused"],
    ["one that may not be read among others", get("id=products%2F1-A&id=secrets%2F1-A"), "CollectionRefused"],
    ["the same in a body", text({ Ids: ["products/1-A", "secrets/1-A"] }, "docs"), "CollectionRefused"],
    ["a counter", get("id=Raven%2FHilo%2Forders"), "CollectionRefused"],
    ["a counter in other letters", get("id=RAVEN%2fhilo%2FORDERS"), "CollectionRefused"],
    ["the prefix alone", get("id=products%2F"), "DocumentRefused"],
    ["no id", get("id="), "DocumentRefused"],
    ["an empty address", get(""), "RouteRefused"],
    ["steps back in an id", get("id=products%2F..%2Fsecrets%2F1-A"), "DocumentRefused"],
    ["a step in an id", get("id=products%2F.%2F1-A"), "DocumentRefused"],
    ["a backslash in an id", get("id=products%5C1-A"), "DocumentRefused"],
    ["an end of text in an id", get("id=products%2F1-A%00"), "DocumentRefused"],
    ["a line break in an id", get("id=products%2F1%0d%0aX%3A1"), "DocumentRefused"],
    ["an overlong slash", get("id=products%c0%af1-A"), "RequestMalformed"],
    ["bytes that are no text", get("id=products%2F%ff"), "RequestMalformed"],
    ["half an encoding", get("id=products%2"), "RequestMalformed"],
    ["a slash that was encoded twice", get("id=products%252F1-A"), "CollectionRefused"],
    [
      "a long s, which is an s to some",
      get(`id=${encodeURIComponent("product\u017f/1-A")}`),
      "CollectionRefused",
    ],
    [
      "a Kelvin sign, which is a k to some",
      get(`id=${encodeURIComponent("boo\u212as/1-A")}`),
      "CollectionRefused",
    ],
    ["a wide slash", get(`id=${encodeURIComponent("products\uff0f1-A")}`), "CollectionRefused"],
    ["letters of full width", get(`id=${encodeURIComponent("\uff50roducts/1-A")}`), "CollectionRefused"],
    ["a mark that joins", get(`id=${encodeURIComponent("products\u0338/1-A")}`), "CollectionRefused"],
    ["an id of 600 letters", get(`id=products%2F${"x".repeat(600)}`), "DocumentRefused"],
    [
      "nine ids",
      get(Array.from({ length: 9 }, (_, at) => `id=products%2F${at}-A`).join("&")),
      "LimitExceeded",
    ],
    [
      "nine ids in a body",
      text({ Ids: Array.from({ length: 9 }, (_, at) => `products/${at}-A`) }, "docs"),
      "LimitExceeded",
    ],
    // Parameters.
    ["an id by a name in capitals", get("ID=secrets%2F1-A"), "RouteRefused"],
    ["both names", get("id=products%2F1-A&Id=secrets%2F1-A"), "RouteRefused"],
    ["an encoded name", get("i%64=secrets%2F1-A"), "RouteRefused"],
    ["a parameter twice", get("id=products%2F1-A&metadataOnly=true&metadataOnly=false"), "RequestMalformed"],
    ["a parameter without a value", get("id=products%2F1-A&metadataOnly"), "RequestMalformed"],
    ["counters of a document", get("id=products%2F1-A&counter=likes"), "RouteRefused"],
    ["another transaction mode", get("id=products%2F1-A&txMode=ClusterWide"), "RouteRefused"],
    ["the whole database", get("start=0&pageSize=20"), "RouteRefused"],
    ["the whole database by an empty prefix", get("startsWith=&pageSize=20"), "CollectionRefused"],
    ["the whole database by an empty list", text({ Ids: [] }, "docs"), "RouteRefused"],
    ["the newest changes", get("etag=0&pageSize=20"), "RouteRefused"],
    ["a listing of a shorter prefix", get("startsWith=product&pageSize=20"), "CollectionRefused"],
    ["a listing of another prefix", get("startsWith=secrets%2F&pageSize=20"), "CollectionRefused"],
    ["a listing of counters", get("startsWith=Raven%2FHilo%2F&pageSize=20"), "CollectionRefused"],
    [
      "a listing that hides behind another one",
      get("startsWith=products%2F&startsWith=secrets%2F&pageSize=20"),
      "RequestMalformed",
    ],
    ["a listing without a page", get("startsWith=products%2F"), "RequestMalformed"],
    ["a listing of too large pages", get("startsWith=products%2F&pageSize=2147483647"), "LimitExceeded"],
    ["a listing of a negative page", get("startsWith=products%2F&pageSize=-1"), "RequestMalformed"],
    ["ids and a listing at once", get("startsWith=products%2F&pageSize=5&id=secrets%2F1-A"), "RouteRefused"],
    [
      "options of a batch",
      request("POST", `${raven}/bulk_docs?waitForReplicasTimeout=00:01:00`, {
        Commands: [put("orders/5-A", "Orders")],
      }),
      "RouteRefused",
    ],
    // Bodies.
    ["a name twice", text('{"Ids":["products/1-A"],"Ids":["secrets/1-A"]}', "docs"), "RequestMalformed"],
    [
      "a name twice, once escaped",
      text('{"Ids":["products/1-A"],"\\u0049ds":["secrets/1-A"]}', "docs"),
      "RequestMalformed",
    ],
    [
      "a name in other letters",
      text('{"Ids":["products/1-A"],"ids":["secrets/1-A"]}', "docs"),
      "RequestMalformed",
    ],
    [
      "a second object behind the first",
      text('{"Ids":["products/1-A"]}{"Ids":["secrets/1-A"]}', "docs"),
      "RequestMalformed",
    ],
    ["a comment", text('{"Ids":["products/1-A"/*"secrets/1-A"*/]}', "docs"), "RequestMalformed"],
    ["single quotes", text("{'Ids':['products/1-A']}", "docs"), "RequestMalformed"],
    ["a comma too many", text('{"Ids":["products/1-A",]}', "docs"), "RequestMalformed"],
    ["half of a surrogate pair", text('{"Ids":["products/\\ud800"]}', "docs"), "RequestMalformed"],
    ["no JSON", text("hello", "docs"), "RequestMalformed"],
    [
      "a form",
      request("POST", `${raven}/docs`, "Ids=products%2F1-A", {
        "content-type": "application/x-www-form-urlencoded",
      }),
      "RequestMalformed",
    ],
    [
      "several parts",
      request("POST", `${raven}/bulk_docs`, "--x\r\n", { "content-type": "multipart/mixed; boundary=x" }),
      "RequestMalformed",
    ],
    [
      "a compressed body",
      request("POST", `${raven}/docs`, '{"Ids":["products/1-A"]}', { "content-encoding": "gzip" }),
      "RequestMalformed",
    ],
    [
      "a body that is too large",
      text(`{"Ids":["products/1-A"]${" ".repeat(9_000)}}`, "docs"),
      "LimitExceeded",
    ],
    [
      "a large body of unknown length",
      { ...text(`{"Ids":["products/1-A"]${" ".repeat(70_000)}}`, "docs"), chunked: true },
      "LimitExceeded",
    ],
    [
      "a body with a GET",
      request("GET", `${raven}/docs?id=products%2F1-A`, '{"Ids":["secrets/1-A"]}'),
      "RequestMalformed",
    ],
    // Batches.
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
      "a second list of commands",
      text(
        `{"Commands":[${JSON.stringify(put("orders/5-A", "Orders"))}],"Commands":[${JSON.stringify(hidden)}]}`,
      ),
      "RequestMalformed",
    ],
    [
      "commands behind something else",
      text({ Options: null, Commands: [put("orders/5-A", "Orders")] }),
      "RequestMalformed",
    ],
    [
      "something behind the commands",
      text({ Commands: [put("orders/5-A", "Orders")], Options: null }),
      "RequestMalformed",
    ],
    [
      "a transaction of the whole cluster",
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
    [
      "a deletion by a whole id as a prefix",
      batch([remove("orders/1-A", { IdPrefixed: true })]),
      "DocumentRefused",
    ],
    ["a deletion of a counter", batch([remove("Raven/Hilo/orders")]), "CollectionRefused"],
    ["a deletion where documents may only be created", batch([remove("drafts/1001-A")]), "CollectionRefused"],
    [
      "a change where documents may only be created",
      batch([put("drafts/1001-A", "Drafts", null)]),
      "CollectionRefused",
    ],
    ["a change by a known vector", batch([put("drafts/1001-A", "Drafts", "A:1-x")]), "CollectionRefused"],
    [
      "a change without a word about vectors",
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
    ["a document that is none", batch([{ ...put("orders/5-A", "Orders"), Document: [] }]), "DocumentRefused"],
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
    ["an attachment", batch([{ Type: "AttachmentPUT", Id: "orders/1-A", Name: "x" }]), "DocumentRefused"],
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
      "whether a foreign document has changed",
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
    // Requests within a request.
    [
      "another database within",
      several([{ Url: "/databases/system/docs", Query: "?id=products%2F1-A", Method: "GET" }]),
      "RouteRefused",
    ],
    [
      "the administration within",
      several([{ Url: "/admin/databases", Query: "", Method: "GET" }]),
      "RequestMalformed",
    ],
    [
      "a multi_get within",
      several([
        part("multi_get", "", { Method: "POST", Content: { Requests: [part("docs", "?id=secrets%2F1-A")] } }),
      ]),
      "RouteRefused",
    ],
    [
      "a batch within",
      several([
        part("bulk_docs", "", { Method: "POST", Content: { Commands: [put("orders/5-A", "Orders")] } }),
      ]),
      "DocumentRefused",
    ],
    [
      "a batch as a text within",
      several([part("bulk_docs", "", { Method: "POST", Content: JSON.stringify({ Commands: [hidden] }) })]),
      "RequestMalformed",
    ],
    ["a query within", several([part("queries", "?query=from%20Secrets")]), "RouteRefused"],
    [
      "a foreign document within",
      several([part("docs", "?id=products%2F1-A"), part("docs", "?id=secrets%2F1-A")]),
      "CollectionRefused",
    ],
    [
      "a document with a query in its URL",
      several([{ Url: `${of}/docs?id=secrets%2F1-A`, Query: "", Method: "GET" }]),
      "RouteRefused",
    ],
    [
      "a body within",
      several([part("docs", "?id=products%2F1-A", { Content: { Ids: ["secrets/1-A"] } })]),
      "RouteRefused",
    ],
    [
      "headers within",
      several([part("docs", "?id=products%2F1-A", { Headers: { "If-None-Match": "x" } })]),
      "RequestMalformed",
    ],
    [
      "four requests within",
      several(Array.from({ length: 4 }, () => part("docs", "?id=products%2F1-A"))),
      "LimitExceeded",
    ],
    ["nothing within", several([]), "LimitExceeded"],
    [
      "a Url twice within",
      text(
        `{"Requests":[{"Url":"${of}/docs","Url":"/admin/databases","Query":"?id=products%2F1-A","Method":"GET"}]}`,
        "multi_get",
      ),
      "RequestMalformed",
    ],
    [
      "an unfenced return within",
      several([part("hilo/return", "?tag=orders&end=32&last=0", { Method: "PUT" })]),
      "RouteRefused",
    ],
    // Leases.
    ["a lease of a foreign collection", lease("secrets"), "CollectionRefused"],
    ["a lease where documents may only be read", lease("products"), "CollectionRefused"],
    ["a lease of all tags", lease(""), "CollectionRefused"],
    ["a lease of a tag with a slash behind it", lease("orders%2F"), "CollectionRefused"],
    [
      "a lease with another separator",
      several([
        part("hilo/next", "?tag=orders&identityPartsSeparator=-"),
        part("docs", "?id=Raven%2FHilo%2Forders"),
      ]),
      "RouteRefused",
    ],
    [
      "a lease that reads another counter",
      lease("orders", { read: "Raven%2FHilo%2Fsecrets" }),
      "RouteRefused",
    ],
    ["a lease that reads a document", lease("orders", { read: "secrets%2F1-A" }), "RouteRefused"],
    [
      "a lease that reads more",
      lease("orders", { read: "Raven%2FHilo%2Forders&id=secrets%2F1-A" }),
      "RouteRefused",
    ],
    ["a tag twice", lease("orders", { more: "&tag=secrets" }), "RequestMalformed"],
    ["a size that is none", lease("orders", { more: "&lastBatchSize=1e9" }), "RequestMalformed"],
    ["a negative lastMax", lease("orders", { more: "&lastMax=-500" }), "RequestMalformed"],
    [
      "two leases at once",
      several([part("hilo/next", "?tag=orders"), part("hilo/next", "?tag=orders")]),
      "RouteRefused",
    ],
    [
      "a counter read without its lease",
      several([part("docs", "?id=Raven%2FHilo%2Forders")]),
      "CollectionRefused",
    ],
    [
      "a lease by the older protocol",
      batch([put("Raven/Hilo/orders", "@hilo", fresh.vector)]),
      "CollectionRefused",
    ],
    // Returns.
    [
      "somebody else's range with a freshly read fence",
      back("orders", fresh.fence, fresh.max, fresh.max - 10),
      "ReturnRefused",
    ],
    [
      "somebody else's range with a token of one's own",
      back("orders", ann.fence, bob.high, bob.low),
      "ReturnRefused",
    ],
    ["somebody else's token", back("orders", bob.fence, bob.high, bob.low), "ReturnRefused"],
    ["a token without its caller", batch([patch("orders", ann.fence, ann.high, ann.low)]), "ReturnRefused"],
    ["a token for another tag", back("drafts", ann.fence, ann.high, ann.low), "ReturnRefused"],
    ["a counter that may not be leased", back("products", ann.fence, ann.high, ann.low), "CollectionRefused"],
    ["a return below one's own range", back("orders", ann.fence, ann.high, ann.low - 2), "ReturnRefused"],
    ["last = 0", last("0"), "ReturnRefused"],
    ["last = -1", last("-1"), "ReturnRefused"],
    ["last = 2^53", last("9007199254740992"), "ReturnRefused"],
    ['last = "0"', last('"0"'), "ReturnRefused"],
    ["last as a fraction", last(`${ann.low}.0`), "ReturnRefused"],
    ["last as a power", last(`${ann.low}e0`), "ReturnRefused"],
    ["last as a list", last(`[${ann.low}]`), "ReturnRefused"],
    ["last twice", last(`${ann.low},"last":0`), "RequestMalformed"],
    ["last = high, which gives nothing back", last(String(ann.high)), "ReturnRefused"],
    ["another high", back("orders", ann.fence, ann.high + 1, ann.low), "ReturnRefused"],
    [
      "a token with a letter changed",
      back("orders", `${ann.fence[0] === "A" ? "B" : "A"}${ann.fence.slice(1)}`, ann.high, ann.low),
      "ReturnRefused",
    ],
    ["a token cut short", back("orders", ann.fence.slice(4), ann.high, ann.low), "ReturnRefused"],
    ["another script", scripted("this.Max = args.last"), "ReturnRefused"],
    ["the script with a blank behind it", scripted(`${SCRIPT} `), "ReturnRefused"],
    ["the script with more behind it", scripted(`${SCRIPT}; put('secrets/2-A', {})`), "ReturnRefused"],
    [
      "further values",
      back("orders", ann.fence, ann.high, ann.low, {
        Patch: { Script: SCRIPT, Values: { fence: ann.fence, high: ann.high, last: ann.low, x: 1 } },
      }),
      "ReturnRefused",
    ],
    [
      "a script where the document is missing",
      back("orders", ann.fence, ann.high, ann.low, { PatchIfMissing: { Script: "this.Max = 0" } }),
      "ReturnRefused",
    ],
    [
      "a return beside a document",
      batch([patch("orders", ann.fence, ann.high, ann.low), put("orders/5-A", "Orders")], asAnn),
      "DocumentRefused",
    ],
    [
      "a good return beside a bad one",
      batch(
        [patch("orders", ann.fence, ann.high, ann.low), patch("orders", fresh.fence, fresh.max, 1)],
        asAnn,
      ),
      "ReturnRefused",
    ],
    [
      "a beacon with a bad return",
      several(
        [
          part("bulk_docs", "", {
            Method: "POST",
            Content: { Commands: [patch("orders", fresh.fence, fresh.max, 1)] },
          }),
        ],
        asAnn,
      ),
      "ReturnRefused",
    ],
    // Whose page, and who.
    ["a foreign page", get("id=products%2F1-A", { origin: "https://evil.example" }), "OriginRefused"],
    ["a page without an origin", get("id=products%2F1-A", { origin: "null" }), "OriginRefused"],
    [
      "an origin that begins like a listed one",
      get("id=products%2F1-A", { origin: "https://app.example.evil.example" }),
      "OriginRefused",
    ],
    [
      "a foreign page's picture, which would lease",
      {
        ...request("GET", `${raven}/hilo/next?tag=orders&nonce=1`),
        headers: { "sec-fetch-site": "cross-site" },
      },
      "OriginRefused",
    ],
    ["a neighbour's picture", get("id=products%2F1-A", { "sec-fetch-site": "same-site" }), "OriginRefused"],
    [
      "a foreign page that asks first",
      request("OPTIONS", `${raven}/docs`, undefined, {
        origin: "https://evil.example",
        "access-control-request-method": "PUT",
      }),
      "OriginRefused",
    ],
    ["a caller whom the app refuses", get("id=products%2F1-A", { "x-user": "nobody" }), "NotAuthorized"],
  ];
}
