// GET docs without ids. Each case has its own database, because a listing has all documents.
const stored = [
  "b/2",
  "B/1",
  "a/1",
  "c/é",
  "c/É2",
  "ü/1",
  "Ü/2",
  "users/10-A",
  "users/2-A",
  "users/1-A",
  "Z",
  "x/1",
  "x/11",
  "x/1-2",
];
const fill = stored.map((id) => ({
  method: "PUT",
  path: `{D}/docs?id=${encodeURIComponent(id)}`,
  body: `{"v":"${id}","@metadata":{"@collection":"C"}}`,
}));
const list = (query, headers = {}) => ({ path: `{D}/docs?${query}`, headers });
const lists = (...queries) => queries.map((query) => list(query && `${query}&metadataOnly=true`));

export default [
  { name: "an empty database", steps: [list(""), list("startsWith=a"), list("pageSize=0")] },
  {
    name: "all, the newest first",
    steps: [
      ...fill,
      list(""),
      ...lists(
        "",
        "pageSize=3",
        "start=2&pageSize=3",
        "start=100",
        "start=-1&pageSize=1",
        "matches=*1",
        "startAfter=b/2&pageSize=2",
      ),
    ],
  },
  {
    name: "by prefix, in any case, in byte order",
    steps: [
      ...fill,
      ...lists(
        "startsWith=",
        "startsWith=B",
        "startsWith=b/",
        "startsWith=%C3%BC",
        "startsWith=%C3%9C/",
        "startsWith=nope",
        "startsWith=%20",
        "startsWith=users/&start=1",
        "startsWith=users/&start=1&pageSize=1",
        "startsWith=x/&pageSize=",
      ),
    ],
  },
  {
    name: "pages of nothing",
    steps: [
      ...fill,
      ...lists("pageSize=0", "pageSize=-1", "startsWith=x/&pageSize=0", "startsWith=x/&pageSize=-5"),
    ],
  },
  {
    name: "matches and exclude",
    steps: [
      ...fill,
      ...[
        "matches=1",
        "matches=1*",
        "matches=1?",
        "matches=1-*%7C11",
        "exclude=1",
        "exclude=1%7C11",
        "matches=*&exclude=*2",
        "matches=",
        "matches=1%7C",
        "matches=%7C1",
        "matches=1%20%7C%2011",
        "matches=*1*",
        "matches=??",
        "exclude=",
      ].map((q) => lists(`startsWith=x/&${q}`)[0]),
      ...lists("startsWith=X/&matches=1-2", "startsWith=users/&matches=*-a", "startsWith=USERS/&exclude=1*"),
    ],
  },
  {
    name: "startAfter",
    steps: [
      ...fill,
      ...["users/10-A", "USERS/10-a", "users/15", "a", "z", "users/", "users/2-A", "%20", ""].map(
        (after) => lists(`startsWith=users/&startAfter=${after}`)[0],
      ),
      ...lists(
        "startsWith=users/&startAfter=users/10-A&start=1",
        "startsWith=users/&startAfter=users/1&pageSize=2",
      ),
    ],
  },
  {
    name: "a prefix that is itself an id, page by page",
    steps: [
      ...["pp", "pp/0", "pp/1", "pp/2", "pp1"].map((Id) => ({
        method: "POST",
        path: "{D}/bulk_docs",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ Commands: [{ Type: "PUT", Id, Document: {} }] }),
      })),
      ...lists(
        "startsWith=pp",
        "startsWith=pp&pageSize=1",
        "startsWith=pp&pageSize=1&startAfter=pp",
        "startsWith=pp&pageSize=1&startAfter=pp/0",
        "startsWith=pp&pageSize=0&startAfter=pp",
        "startsWith=pp&startAfter=pp1",
        "startsWith=pp/&startAfter=pp",
        "startsWith=pp&include=Boss",
        "startsWith=pp&matches=&exclude=&start=1&pageSize=2&startAfter=pp",
      ),
    ],
  },
  ...[
    "pageSize=abc",
    "start=abc",
    "pageSize=99999999999",
    "startsWith=x&pageSize=2147483648",
    "start=1.5",
  ].map((query) => ({
    name: `refused: ${query}`,
    steps: [{ ...list(query), names: query.includes("pageSize") ? "pageSize" : "start" }],
  })),
  {
    name: "deleted documents are not listed; any write changes the ETag of every listing",
    steps: [
      ...fill.slice(0, 3),
      list("startsWith=b"),
      (s) => list("startsWith=b", { "If-None-Match": s.etag(3) }),
      (s) => list("pageSize=1", { "If-None-Match": s.etag(3) }),
      { method: "DELETE", path: "{D}/docs?id=a%2F1" },
      (s) => list("startsWith=b", { "If-None-Match": s.etag(3) }),
      list(""),
      { method: "POST", path: "{D}/docs?metadataOnly=true", body: '{"Ids":[]}' },
      { path: "{D}/hilo/next?tag=l" },
      list("startsWith=raven/hilo/"),
    ],
  },
].map((c) => ({ ...c, name: `listing: ${c.name}`, own: true }));
