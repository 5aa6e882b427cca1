// Ids that the server generates: from the etag (`users/`), and GUIDs. Cases whose ids show
// etags have their own database, where etags begin at 1.
import { bulk, get, P, put } from "../lib/documents.mjs";

export default [
  {
    name: "PUT: the etag in nineteen digits and the node",
    own: true,
    steps: [
      put("users/", '{"n":1}'),
      get("users/0000000000000000001-A"),
      get("USERS/0000000000000000001-a"),
      put("users/"),
      put("Users/"),
      put("a/b/"),
      put("/"),
      put("//"),
      put("a|/"),
      put("ü/"),
      put("\t/"),
      put("users"),
      put("users/"),
      get("users/"),
    ],
  },
  {
    name: "PUT with If-Match: an etag that showed in an error does not come again",
    own: true,
    steps: [
      put("x/", "{}", { "If-Match": '""' }),
      put("x/", "{}", { "If-Match": '"A:1-x"' }),
      put("x/"),
      put("x/", "{"),
      put("x/"),
    ],
  },
  {
    name: "PUT: too long with what is appended",
    own: true,
    steps: [put(`${"x".repeat(490)}/`), { ...put(`${"x".repeat(491)}/`), names: "513" }],
  },
  {
    // Older servers accept these.
    name: "PUT: control characters are refused",
    newOnly: true,
    steps: [{ ...put("c\u0001/"), names: "\\u0001/" }],
  },
  {
    name: "PUT: an id that somebody took by hand",
    own: true,
    steps: [
      put("k/"),
      put("k/0000000000000000003-a", '{"mine":1}'),
      put("k/"),
      get("k/0000000000000000003-A"),
    ],
  },
  {
    name: "batch: the etags of the documents, in order",
    own: true,
    steps: [
      bulk(P("b/"), P("x"), P("b/"), P("B/", { ChangeVector: "" }), P("/")),
      get("b/0000000000000000003-A"),
      bulk(P("b/", { ChangeVector: "A:1-x" })),
      bulk(P("b/"), { Type: "DELETE", Id: "b/" }),
    ],
  },
  {
    name: "batch: GUIDs for blank ids",
    steps: [
      bulk(P(""), P(null), { Type: "PUT", Document: {} }, P(" "), P("\t"), P("", { ChangeVector: "" })),
      (s) => get(s.at(0).Results[1]["@id"]),
      (s) => get(s.at(0).Results[0]["@id"].toUpperCase()),
      bulk(P("", { ChangeVector: "A:1-x" })),
      bulk(P(""), { Type: "DELETE", Id: "" }),
    ],
  },
].map((c) => ({ ...c, name: `generated ids: ${c.name}` }));
