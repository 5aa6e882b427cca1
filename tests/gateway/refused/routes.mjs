// Routes and methods that are not accepted.

import { request } from "../requests.mjs";

export const routes = ({ of, raven, text }) => [
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
    "another database by path segments ..",
    request("GET", `${raven}/../../databases/system/docs?id=products%2F1-A`),
    "RouteRefused",
  ],
  [
    "another database by encoded path segments ..",
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
  ["counters", request("GET", `${raven}/counters?docId=products%2F1-A`), "RouteRefused"],
  ["changed counters", request("POST", `${raven}/counters`, { Documents: [] }), "RouteRefused"],
  ["time series", request("GET", `${raven}/timeseries?docId=products%2F1-A&name=Prices`), "RouteRefused"],
  [
    "changed time series",
    request("POST", `${raven}/timeseries?docId=orders%2F1-A`, { Name: "x" }),
    "RouteRefused",
  ],
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
];
