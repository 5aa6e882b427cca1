// Leases with their fence, returns fenced, unfenced, replayed.
import { MOVE_SCRIPT as script } from "../../support/script.mjs";

const next = (tag) => ({ path: `{D}/hilo/next?tag=${tag}` });
const document = (tag) => ({ path: `{D}/docs?id=Raven/Hilo/${tag}` });
const giveBack = (tag, end, last) => ({
  method: "PUT",
  path: `{D}/hilo/return?tag=${tag}&end=${end}&last=${last}`,
});
const json = { "Content-Type": "application/json" };
const lease = (tag) => ({
  method: "POST",
  path: "{D}/multi_get",
  headers: json,
  body: JSON.stringify({
    Requests: [
      { Url: "{D}/hilo/next", Query: `?tag=${tag}`, Method: "GET" },
      { Url: "{D}/docs", Query: `?id=Raven/Hilo/${tag}`, Method: "GET" },
    ],
  }),
});
const patch = (tag, values, more = {}) => ({
  Id: `Raven/Hilo/${tag}`,
  ChangeVector: null,
  Patch: { Script: script, Values: values },
  Type: "PATCH",
  ...more,
});
const bulk = (...commands) => ({
  method: "POST",
  path: "{D}/bulk_docs",
  headers: json,
  body: JSON.stringify({ Commands: commands }),
});
const raw = (values, id) => ({
  method: "POST",
  path: "{D}/bulk_docs",
  headers: json,
  body: `{"Commands":[{"Id":"Raven/Hilo/${id}","ChangeVector":null,"Patch":{"Script":${JSON.stringify(script)},"Values":${values}},"Type":"PATCH"}]}`,
});

export default [
  { name: "lease and fence in one request", steps: [lease("f1"), lease("f1")] },
  {
    name: "fenced return: patched once, not modified on every replay",
    steps: [
      lease("f2"),
      ...[0, 1, 2].map(() => (seen) => bulk(patch("f2", { fence: seen.fence(0), high: 32, last: 5 }))),
      document("f2"),
      next("f2"),
    ],
  },
  {
    name: "fenced return after another lease leaves Max alone",
    steps: [
      lease("f3"),
      next("f3"),
      (seen) => bulk(patch("f3", { fence: seen.fence(0), high: 32, last: 5 })),
      document("f3"),
    ],
  },
  {
    name: "the hazard trace, fenced: a replay after the same range was granted again",
    steps: [
      lease("f4"),
      (seen) => bulk(patch("f4", { fence: seen.fence(0), high: 32, last: 0 })),
      lease("f4"),
      (seen) => bulk(patch("f4", { fence: seen.fence(0), high: 32, last: 0 })),
      next("f4"),
    ],
  },
  {
    name: "several returns stand alone: patched, stale, missing, patched again",
    steps: [
      lease("m1"),
      lease("m2"),
      (seen) =>
        bulk(
          patch("m1", { fence: seen.fence(0), high: 32, last: 3 }),
          patch("m2", { fence: "stale", high: 32, last: 4 }),
          patch("absent", { fence: "x", high: 32, last: 4 }),
          patch("m1", { fence: seen.fence(0), high: 32, last: 2 }),
        ),
      document("m1"),
      document("m2"),
    ],
  },
  {
    name: "a return inside text/plain multi_get, twice",
    steps: [
      lease("b1"),
      ...[0, 1].map(() => (seen) => ({
        method: "POST",
        path: "{D}/multi_get",
        headers: { "Content-Type": "text/plain;charset=UTF-8" },
        body: JSON.stringify({
          Requests: [
            {
              Url: "{D}/bulk_docs",
              Query: "",
              Method: "POST",
              Content: { Commands: [patch("b1", { fence: seen.fence(0), high: 32, last: 7 })] },
            },
          ],
        }),
      })),
      document("b1"),
    ],
  },
  ...[
    ["31", "high below"],
    ['"32"', "high as text"],
    ["33", "high above"],
    ["null", "high null"],
  ].map(([high, what], i) => ({
    name: `return refused by its condition: ${what}`,
    steps: [
      lease(`c${i}`),
      (seen) => raw(`{"fence":${JSON.stringify(seen.fence(0))},"high":${high},"last":5}`, `c${i}`),
      document(`c${i}`),
    ],
  })),
  ...["5.0", "1e1", "-5", "0"].map((last, i) => ({
    name: `return of last ${last}`,
    steps: [
      lease(`l${i}`),
      (seen) => raw(`{"fence":${JSON.stringify(seen.fence(0))},"high":32.0,"last":${last}}`, `l${i}`),
      document(`l${i}`),
    ],
  })),
  {
    name: "an incomplete fence and one with another time are invalid",
    steps: [
      lease("h1"),
      ...[
        (vector) => vector,
        (_, time) => time,
        (vector, time) => `${time} ${vector}`,
        (vector, time) => `${vector} ${time.slice(0, -2)}Z`,
        (vector, time) => `${vector} ${time.replace(/^..../, "2001")}`,
      ].map((fence) => (seen) => {
        const [vector, time] = seen.fence(0).split(" ");
        return bulk(patch("h1", { fence: fence(vector, time), high: 32, last: 5 }));
      }),
      document("h1"),
    ],
  },
  {
    name: "return of nothing writes nothing",
    steps: [
      lease("n1"),
      (seen) => bulk(patch("n1", { fence: seen.fence(0), high: 32, last: 32 })),
      document("n1"),
    ],
  },
  {
    name: "arguments missing",
    steps: [
      lease("a1"),
      raw('{"fence":null,"high":32,"last":5}', "a1"),
      raw('{"high":32,"last":5}', "a1"),
      raw("null", "a1"),
      raw("{}", "a1"),
      document("a1"),
    ],
  },
  {
    name: "an id in other letter case is patched and keeps its case",
    steps: [
      lease("kase"),
      (seen) => bulk(patch("KASE", { fence: seen.fence(0), high: 32, last: 5 })),
      document("kase"),
    ],
  },
  {
    name: "a return with ChangeVector: conflict on replay",
    steps: [
      lease("v1"),
      ...[0, 1].map(
        () => (seen) =>
          bulk(patch("v1", { fence: seen.fence(0), high: 32, last: 5 }, { ChangeVector: seen.vector(0) })),
      ),
      bulk(patch("v1", {}, { ChangeVector: "" })),
      bulk(patch("nowhere", {}, { ChangeVector: "x" })),
      document("v1"),
    ],
  },
  {
    name: "a return in an aborted batch did not happen",
    steps: [
      lease("ab"),
      (seen) =>
        bulk(patch("ab", { fence: seen.fence(0), high: 32, last: 5 }), {
          Type: "PUT",
          Id: "Raven/Hilo/ab",
          ChangeVector: "",
          Document: {},
        }),
      document("ab"),
      (seen) => bulk(patch("ab", { fence: seen.fence(0), high: 32, last: 5 })),
    ],
  },
  {
    name: "fenced PUT and its replay",
    steps: [
      lease("p1"),
      ...[0, 1].map(() => (seen) => ({
        method: "PUT",
        path: "{D}/docs?id=Raven%2FHilo%2Fp1",
        headers: { "If-Match": `"${seen.vector(0)}"` },
        body: '{"Max":5,"@metadata":{"@collection":"@hilo"}}',
      })),
      next("p1"),
    ],
  },
  {
    name: "counter document without its collection is refused",
    steps: [
      next("p2"),
      { method: "PUT", path: "{D}/docs?id=Raven%2FHilo%2Fp2", body: '{"Max":5}', names: "Raven/Hilo/p2" },
    ],
  },

  {
    name: "unfenced return, replayed, and what follows",
    steps: [next("u1"), giveBack("u1", 32, 10), giveBack("u1", 32, 10), next("u1"), document("u1")],
  },
  {
    name: "the hazard trace, unfenced: duplicates, as documented",
    steps: [next("u2"), giveBack("u2", 32, 0), next("u2"), giveBack("u2", 32, 0), next("u2")],
  },
  {
    name: "unfenced return: last above and equal to Max, negative last",
    steps: [
      next("u3"),
      giveBack("u3", 32, 33),
      document("u3"),
      giveBack("u3", 32, 32),
      document("u3"),
      giveBack("u3", 32, -5),
      document("u3"),
      next("u3"),
    ],
  },
  {
    name: "unfenced return of a tag in other letter case; of one that never was",
    steps: [next("u4"), giveBack("U4", 32, 5), document("u4"), giveBack("never", 32, 5), document("never")],
  },
  {
    name: "unfenced returns in one multi_get, then a lease",
    steps: [
      next("u5"),
      {
        method: "POST",
        path: "{D}/multi_get",
        body: JSON.stringify({
          Requests: [
            { Url: "{D}/hilo/return", Query: "?tag=u5&end=32&last=8", Method: "PUT" },
            { Url: "{D}/hilo/return", Query: "?tag=none&end=32&last=8", Method: "PUT" },
            { Url: "{D}/hilo/next", Query: "?tag=u5", Method: "GET" },
          ],
        }),
      },
    ],
  },

  ...[
    ["", "tag"],
    ["?tag=r", "end"],
    ["?tag=r&end=5", "last"],
    ["?tag=r&last=5", "end"],
    ["?tag=&end=1&last=1", "tag"],
    ["?tag=%20&end=1&last=1", "tag"],
    ["?tag=r&end=&last=1", "end"],
    ["?tag=r&end=1&last=", "last"],
    ["?tag=r&end=a&last=1", "end"],
    ["?tag=r&end=1&last=b", "last"],
    ["?tag=r&end=1.5&last=1", "end"],
    ["?tag=r&end=99999999999999999999&last=1", "end"],
    ["?tag=a&tag=b&end=1&last=1", "tag"],
  ].map(([query, names]) => ({
    name: `return refused: '${query}'`,
    steps: [{ method: "PUT", path: `{D}/hilo/return${query}`, names }],
  })),
  {
    name: "return: first of two ends, odd tags, wrong method",
    steps: [
      giveBack("r", "1&end=2", 1),
      giveBack("c%01", 1, 1),
      giveBack("pipe%7C", 1, 0),
      giveBack("slash%2F", 1, 0),
      giveBack("x".repeat(502), 1, 0),
      { ...giveBack("r", 1, 1), method: "POST" },
      { ...giveBack("r", 1, 1), method: "GET" },
    ],
  },
  {
    name: "return keeps other members",
    steps: [
      {
        method: "PUT",
        path: "{D}/docs?id=Raven/Hilo/keep",
        body: '{"Max":"7","y":2,"@metadata":{"@collection":"@hilo","z":3}}',
      },
      giveBack("keep", 7, 3),
      document("keep"),
    ],
  },
  {
    name: "return on a document without Max, and with a broken one",
    steps: [
      { method: "PUT", path: "{D}/docs?id=Raven/Hilo/nomax", body: '{"@metadata":{"@collection":"@hilo"}}' },
      giveBack("nomax", 0, -3),
      document("nomax"),
      {
        method: "PUT",
        path: "{D}/docs?id=Raven/Hilo/brokenmax",
        body: '{"Max":[1],"@metadata":{"@collection":"@hilo"}}',
      },
      giveBack("brokenmax", 0, -3),
    ],
  },
  {
    name: "return on a Max that is text or a fraction",
    steps: [
      ...['"7"', "7.0"].flatMap((max, i) => [
        {
          method: "PUT",
          path: `{D}/docs?id=Raven/Hilo/tx${i}`,
          body: `{"Max":${max},"@metadata":{"@collection":"@hilo"}}`,
        },
        document(`tx${i}`),
        (seen) => bulk(patch(`tx${i}`, { fence: seen.fence(-1), high: 7, last: 8 })),
      ]),
    ],
  },
  ...[
    ["7", "7"],
    ["7", '"7"'],
    ['"7"', '"7"'],
    ['"7"', "7"],
    ["null", "null"],
    ["null", ""],
    ["", ""],
    ["", "null"],
    ["7.5", "7.5"],
    ["-3", "-3"],
    ["[7]", "[7]"],
  ].map(([max, high], i) => ({
    name: `a move up by \`document\` from Max ${max || "absent"}, read as ${high || "absent"}; twice`,
    steps: [
      {
        method: "PUT",
        path: `{D}/docs?id=Raven/Hilo/up${i}`,
        body: `{"Owner":"a","Rate":1.10,${max && `"Max":${max},`}"@metadata":{"@collection":"@hilo","own":1}}`,
      },
      document(`up${i}`),
      ...[-1, 1].map(
        (at) => (seen) =>
          raw(`{"fence":${JSON.stringify(seen.fence(at))},${high && `"high":${high},`}"last":39}`, `up${i}`),
      ),
      document(`up${i}`),
    ],
  })),
];
