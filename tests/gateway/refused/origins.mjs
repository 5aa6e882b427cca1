// Whose page it is, and who asks.

import { request } from "../requests.mjs";

export const origins = ({ raven, get }) => [
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
