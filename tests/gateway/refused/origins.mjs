// The origin of the calling page.

import { request } from "../requests.mjs";

export const origins = ({ raven, get }) => [
  ["a foreign page", get("id=products%2F1-A", { origin: "https://evil.example" }), "OriginRefused"],
  ["a page without an origin", get("id=products%2F1-A", { origin: "null" }), "OriginRefused"],
  [
    "an origin that begins like an allowed one",
    get("id=products%2F1-A", { origin: "https://app.example.evil.example" }),
    "OriginRefused",
  ],
  [
    "an image of a foreign page, which would lease",
    {
      ...request("GET", `${raven}/hilo/next?tag=orders&nonce=1`),
      headers: { "sec-fetch-site": "cross-site" },
    },
    "OriginRefused",
  ],
  ["a neighbour's picture", get("id=products%2F1-A", { "sec-fetch-site": "same-site" }), "OriginRefused"],
  [
    "a preflight request of a foreign page",
    request("OPTIONS", `${raven}/docs`, undefined, {
      origin: "https://evil.example",
      "access-control-request-method": "PUT",
    }),
    "OriginRefused",
  ],
  ["a caller that the app refuses", get("id=products%2F1-A", { "x-user": "nobody" }), "NotAuthorized"],
];
