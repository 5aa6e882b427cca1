// Invalid and too large bodies.

import { request } from "../requests.mjs";

export const bodies = ({ raven, text }) => [
  ["a name twice", text('{"Ids":["products/1-A"],"Ids":["secrets/1-A"]}', "docs"), "RequestMalformed"],
  [
    "a name twice, once escaped",
    text('{"Ids":["products/1-A"],"\\u0049ds":["secrets/1-A"]}', "docs"),
    "RequestMalformed",
  ],
  [
    "a name in other letter case",
    text('{"Ids":["products/1-A"],"ids":["secrets/1-A"]}', "docs"),
    "RequestMalformed",
  ],
  [
    "a second object after the first",
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
  ["a body that is too large", text(`{"Ids":["products/1-A"]${" ".repeat(9_000)}}`, "docs"), "LimitExceeded"],
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
];
