// Requests inside a multi_get.

export function nested({ of, text, several, part, put, remove }) {
  return [
    [
      "another database inside",
      several([{ Url: "/databases/system/docs", Query: "?id=products%2F1-A", Method: "GET" }]),
      "RouteRefused",
    ],
    [
      "an administration route inside",
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
      "a batch inside",
      several([
        part("bulk_docs", "", { Method: "POST", Content: { Commands: [put("orders/5-A", "Orders")] } }),
      ]),
      "DocumentRefused",
    ],
    [
      "a batch as a string inside",
      several([
        part("bulk_docs", "", {
          Method: "POST",
          Content: JSON.stringify({ Commands: [remove("secrets/1-A")] }),
        }),
      ]),
      "RequestMalformed",
    ],
    ["a query within", several([part("queries", "?query=from%20Secrets")]), "RouteRefused"],
    [
      "a foreign document inside",
      several([part("docs", "?id=products%2F1-A"), part("docs", "?id=secrets%2F1-A")]),
      "CollectionRefused",
    ],
    [
      "a document with a query in its URL",
      several([{ Url: `${of}/docs?id=secrets%2F1-A`, Query: "", Method: "GET" }]),
      "RouteRefused",
    ],
    [
      "a body inside",
      several([part("docs", "?id=products%2F1-A", { Content: { Ids: ["secrets/1-A"] } })]),
      "RouteRefused",
    ],
    [
      "headers within",
      several([part("docs", "?id=products%2F1-A", { Headers: { "If-None-Match": "x" } })]),
      "RequestMalformed",
    ],
    [
      "too many requests inside",
      several(Array.from({ length: 4 }, () => part("docs", "?id=products%2F1-A"))),
      "LimitExceeded",
    ],
    ["nothing within", several([]), "LimitExceeded"],
    [
      "a duplicate Url inside",
      text(
        `{"Requests":[{"Url":"${of}/docs","Url":"/admin/databases","Query":"?id=products%2F1-A","Method":"GET"}]}`,
        "multi_get",
      ),
      "RequestMalformed",
    ],
    [
      "an unfenced return inside",
      several([part("hilo/return", "?tag=orders&end=32&last=0", { Method: "PUT" })]),
      "RouteRefused",
    ],
  ];
}
