// Leases and returns of another caller's numbers.

import { SCRIPT } from "../requests.mjs";

export function returns({ text, batch, several, part, lease, put, patch }, { ann, bob, fresh }) {
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
  return [
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
    ["an invalid size", lease("orders", { more: "&lastBatchSize=1e9" }), "RequestMalformed"],
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
      "another caller's range with a freshly read fence",
      back("orders", fresh.fence, fresh.max, fresh.max - 10),
      "ReturnRefused",
    ],
    [
      "another caller's range with the caller's own token",
      back("orders", ann.fence, bob.high, bob.low),
      "ReturnRefused",
    ],
    ["a token of another caller", back("orders", bob.fence, bob.high, bob.low), "ReturnRefused"],
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
      "a script for a missing document",
      back("orders", ann.fence, ann.high, ann.low, { PatchIfMissing: { Script: "this.Max = 0" } }),
      "ReturnRefused",
    ],
    [
      "a return next to a document",
      batch([patch("orders", ann.fence, ann.high, ann.low), put("orders/5-A", "Orders")], asAnn),
      "DocumentRefused",
    ],
    [
      "a valid return next to an invalid one",
      batch(
        [patch("orders", ann.fence, ann.high, ann.low), patch("orders", fresh.fence, fresh.max, 1)],
        asAnn,
      ),
      "ReturnRefused",
    ],
    [
      "a beacon with an invalid return",
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
  ];
}
