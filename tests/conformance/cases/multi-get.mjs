// POST multi_get.
const raw = (body, headers = {}) => ({ method: "POST", path: "{D}/multi_get", headers, body });
const U = '"Url":"{D}/docs"';
const multi = (...requests) => raw(`{"Requests":[${requests.join(",")}]}`);
const put = (id, n) => ({ method: "PUT", path: `{D}/docs?id=${id}`, body: `{"n":${n}}` });
const bulk = (content) => `{"Url":"{D}/bulk_docs","Query":"","Method":"POST","Content":${content}}`;
const next = (tag) => `{"Url":"{D}/hilo/next","Query":"?tag=${tag}","Method":"GET"}`;

export default [
  {
    name: "in order, each visible to the next",
    steps: [
      multi(
        next("mo"),
        `{${U},"Query":"?id=Raven/Hilo/mo","Method":"GET"}`,
        next("mo"),
        '{"Url":"{D}/hilo/return","Query":"?tag=mo&end=64&last=40","Method":"PUT"}',
        `{${U},"Query":"?id=Raven/Hilo/mo","Method":"GET"}`,
      ),
    ],
  },
  {
    name: "documents: found, missing, several, listed, HEAD",
    steps: [
      put("mg1%2F1", 1),
      multi(
        `{${U},"Query":"?id=mg1/1","Method":"GET"}`,
        `{${U},"Query":"?id=no","Method":"GET"}`,
        `{${U},"Query":"?id=mg1/1&id=no","Method":"GET"}`,
        `{${U},"Query":"?id=mg1/1","Method":"HEAD"}`,
        `{${U},"Query":"?startsWith=mg1/&metadataOnly=true","Method":"GET"}`,
      ),
    ],
  },
  {
    name: "no method is GET, nor is null",
    steps: [
      put("mg2%2F1", 1),
      multi(`{${U},"Query":"?id=mg2/1"}`, `{${U},"Query":"?id=mg2/1","Method":null}`),
    ],
  },
  {
    name: "If-None-Match inside",
    steps: [
      put("mg3%2F1", 1),
      (s) =>
        multi(
          `{${U},"Query":"?id=mg3/1","Method":"GET","Headers":{"If-None-Match":${JSON.stringify(s.vector(0))}}}`,
          `{${U},"Query":"?id=mg3/1","Method":"GET","Headers":{"if-none-match":${JSON.stringify(`"${s.vector(0)}"`)}}}`,
          `{${U},"Query":"?id=mg3/1","Method":"GET","Headers":{"If-None-Match":"x"}}`,
          `{${U},"Query":"?id=mg3/1","Method":"GET","Headers":{"If-None-Match":5}}`,
        ),
    ],
  },
  {
    name: "content: object, text, none",
    steps: [
      put("mg4%2F1", 1),
      multi(
        `{${U},"Query":"","Method":"POST","Content":{"Ids":["mg4/1","no"]}}`,
        `{${U},"Query":"","Method":"POST","Content":"{\\"Ids\\":[\\"mg4/1\\"]}"}`,
        `{${U},"Query":"","Method":"POST"}`,
      ),
    ],
  },
  {
    name: "a batch inside, object and text, any outer content type",
    steps: [
      raw(
        `{"Requests":[${bulk('{"Commands":[{"Id":"mg5/1","Type":"PUT","Document":{"q":1.10}}]}')},${bulk('"{\\"Commands\\":[{\\"Id\\":\\"mg5/2\\",\\"Type\\":\\"PUT\\",\\"Document\\":{}}]}"')}]}`,
        { "Content-Type": "text/plain;charset=UTF-8" },
      ),
      { path: "{D}/docs?id=mg5/1&id=mg5/2" },
    ],
  },
  {
    name: "an inner conflict is a 500 without what clashed; the rest goes on",
    steps: [
      put("mg6%2F1", 1),
      multi(
        bulk('{"Commands":[{"Id":"mg6/1","ChangeVector":"","Type":"PUT","Document":{}}]}'),
        next("mg6"),
        bulk('{"Commands":[{"Id":"mg6/1","Type":"DELETE"}]}'),
      ),
      { path: "{D}/docs?id=mg6/1" },
    ],
  },
  {
    name: "inner errors",
    steps: [
      multi(
        '{"Url":"{D}/hilo/next","Query":"?tag=","Method":"GET"}',
        '{"Url":"{D}/hilo/next","Query":"?tag=a&lastMax=x","Method":"GET"}',
        '{"Url":"{D}/hilo/return","Query":"?tag=a","Method":"PUT"}',
        bulk('{"Commands":[{"Type":"FROB"}]}'),
      ),
    ],
  },
  {
    name: "PUT has no body inside; DELETE works",
    steps: [
      put("mg7%2F1", 1),
      multi(
        `{${U},"Query":"?id=mg7/2","Method":"PUT","Content":{"x":1}}`,
        `{${U},"Query":"?id=mg7/1","Method":"DELETE"}`,
        `{${U},"Query":"?id=mg7/1","Method":"GET"}`,
      ),
    ],
  },
  {
    name: "the result of an incomplete request is {}",
    steps: [
      multi(
        "{}",
        `{${U},"Method":"GET"}`,
        '{"Query":"?id=x","Method":"GET"}',
        `{${U},"Query":5,"Method":"GET"}`,
        '{"url":"{D}/docs","Query":"?id=x"}',
      ),
    ],
  },
  {
    name: "the database inside Url is ignored",
    steps: [
      multi(
        '{"Url":"/databases/nodb/hilo/next","Query":"?tag=mgdb","Method":"GET"}',
        '{"Url":"/databases/other/HILO/next","Query":"?tag=mgdb","Method":"GET"}',
      ),
    ],
  },
  {
    name: "other members are ignored",
    steps: [raw(`{"X":1,"Requests":[${next("mgx").slice(0, -1)},"Frob":[1]}],"Y":[2]}`)],
  },
  {
    name: "what else can be asked",
    steps: [
      multi(
        '{"Url":"/build/version","Query":"","Method":"GET"}',
        '{"Url":"{D}/configuration/client","Query":"","Method":"GET"}',
      ),
    ],
  },
  { name: "an empty list", steps: [multi(), raw('{"Requests":[]}', { "Topology-Etag": "0" })] },
  ...[
    "",
    "{",
    "[]",
    "null",
    "{}",
    '{"requests":[]}',
    '{"Requests":null}',
    '{"Requests":{}}',
    '{"Requests":"x"}',
    '{"Requests":[1]}',
    '{"Requests":[null]}',
    '{"Requests":[[]]}',
    `{"Requests":[{${U},"Query":"?id=x"}]`,
    `{"Requests":[{${U},"Query":"id=x"}]}`,
    '{"Requests":[{"Url":null,"Query":"?id=x"}]}',
    `{"Requests":[{${U},"Query":"","Method":"POST","Content":null}]}`,
    `{"Requests":[{${U},"Query":"","Method":"POST","Content":5}]}`,
    `{"Requests":[{${U},"Query":"","Method":"POST","Content":[1]}]}`,
  ].map((body) => ({ name: `refused: '${body}'`, steps: [raw(body)] })),
  { name: "GET of it is no route", steps: [{ path: "{D}/multi_get" }] },
].map((c) => ({ ...c, name: `multi_get: ${c.name}` }));
