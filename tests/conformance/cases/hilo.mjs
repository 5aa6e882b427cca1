// GET hilo/next: sizes, tags, separators, stored Max, bad input.
const next = (tag, more = "") => ({ path: `{D}/hilo/next?tag=${tag}${more}` });
const document = (tag) => ({ path: `{D}/docs?id=Raven/Hilo/${tag}` });
const put = (tag, members) => ({
  method: "PUT",
  path: `{D}/docs?id=Raven/Hilo/${tag}`,
  body: `{${members}"kept":1.10,"@metadata":{"@collection":"@hilo","custom":true}}`,
});
const q = (n) => "q".repeat(n);

const leases = [
  {
    name: "first range, its document, the second range",
    steps: [
      next(
        "h1",
        "&lastBatchSize=0&lastRangeAt=0001-01-01T00%3A00%3A00.0000000Z&identityPartsSeparator=%2F&lastMax=0",
      ),
      document("h1"),
      next("h1"),
      document("h1"),
    ],
  },
  {
    name: "size by age: doubled below 30 s, kept to 60 s, halved after",
    steps: [
      next("age"),
      ...[0, 1, 28, 31, 45, 58, 61, 120, 86_400, -5, -86_400].map(
        (s) => (seen) => next("age", `&lastBatchSize=100&lastRangeAt=${seen.ago(-1, s)}`),
      ),
    ],
  },
  {
    name: "size doubled: limits",
    steps: [
      next("dbl"),
      ...[-5, 0, 31, 32, 33, 64, 66, 600_000, 1_048_575, 1_048_576, 1_048_577, 2_000_000].map(
        (n) => (seen) => next("dbl", `&lastBatchSize=${n}&lastRangeAt=${seen.ago(0, 1)}`),
      ),
    ],
  },
  {
    name: "size halved: limits",
    steps: [
      next("hlv"),
      ...[31, 33, 65, 2_000_001].map(
        (n) => (seen) => next("hlv", `&lastBatchSize=${n}&lastRangeAt=${seen.ago(0, 100)}`),
      ),
    ],
  },
  {
    name: "size without lastRangeAt is uncapped",
    steps: ["-3", "0", "31", "64", "%2077", "%2B78", "5000000"].map((n) =>
      next("unc", `&lastBatchSize=${n}`),
    ),
  },
  {
    name: "lastMax jumps, never back",
    steps: [
      next("jump"),
      next("jump", "&lastMax=5000"),
      next("jump", "&lastMax=10"),
      next("jump", "&lastMax=9007199254740990"),
      document("jump"),
    ],
  },
  {
    name: "tags are one counter in any case; the document takes the caller's case",
    steps: [next("CaSe"), document("case"), next("cAsE"), document("CASE")],
  },
  {
    name: "separators go into the prefix only",
    steps: ["-", "%7C", "%C3%A9", "_", "", "%20", "%E6%97%A5", "-&identityPartsSeparator=_"].map((s) =>
      next("sep", `&identityPartsSeparator=${s}`),
    ),
  },
];

const times = [
  "{}",
  "{Z}",
  "{}Z%20",
  "%20{}Z",
  "{}z",
  "{}%2B00:00",
  "{}-00:00",
  "{}%2B02:00",
  "{short}Z",
  "{short}.1Z",
  "{short}.123Z",
  "{short}.123456Z",
  "{short}.12345678Z",
  "garbage",
  "",
  "2026-02-30T00:00:00.0000000Z",
  "2099-02-29T00:00:00.0000000Z",
  "2096-02-29T00:00:00.0000000Z",
  "2026-13-01T00:00:00.0000000Z",
  "2026-11-21T24:00:00.0000000Z",
  "9999-12-31T23:59:59.9999999Z",
  "0001-01-01T00:00:00.0000000Z",
  "0000-01-01T00:00:00.0000000Z",
  "2026-11-21%2001:30:36.7546027Z",
];

export default [
  ...leases,
  {
    name: "lastRangeAt needs exactly seven digits",
    steps: [
      next("digits"),
      ...times.map((t) => (seen) => {
        const at = seen.at(0).LastRangeAt.slice(0, 27);
        return next(
          "digits",
          `&lastBatchSize=100&lastRangeAt=${t.replace("{Z}", `${at}Z`).replace("{}", at).replace("{short}", at.slice(0, 19))}`,
        );
      }),
    ],
  },
  {
    name: "negative lastMax gives negative ids",
    steps: [next("neg", "&lastMax=-500"), next("neg", "&lastMax=-500"), document("neg"), next("neg")],
  },
  {
    name: "parameter names in any case, the first value counts",
    steps: [
      { path: "{D}/hilo/next?TAG=names&LASTBATCHSIZE=77" },
      next("names", "&lastBatchSize=1&lastBatchSize=200"),
    ],
  },
  {
    name: "database and route in any case",
    steps: [
      { path: "/databases/{DB}/HILO/Next?tag=anycase" },
      { path: "/databases/{db}/hilo/next?tag=anycase" },
    ],
  },
  ...[
    ["a%20b", "space"],
    ["x+y", "plus is a space"],
    ["%20lead", "leading blank"],
    ["trail%20", "trailing blank"],
    ["a%09b", "tab"],
    ["a%0Ab", "line feed"],
    ["a%7Fb", "delete"],
    ["a%C2%85b", "C1"],
    ["%C3%9Cber%C3%9F%E6%97%A5%E6%9C%AC%F0%9F%98%80", "Unicode"],
    ["%zz", "stray percent"],
    ["%C3", "half a character"],
    ["a%2Fb", "inner slash"],
    ["a%7Cb", "inner pipe"],
    ["Raven%2FHilo", "its own prefix"],
    ["a'b%22c%5C", "quotes"],
    ["%E2%84%AAelvin", "Kelvin sign"],
  ].map(([tag, what]) => ({ name: `tag: ${what}`, steps: [next(tag), next(tag), document(tag)] })),
  {
    name: "tags fold letter by letter",
    steps: [
      "%C3%9C",
      "%C3%BC",
      "%C4%B0",
      "i",
      "%CE%A3",
      "%CF%83",
      "%CF%82",
      "%E2%84%AA",
      "k",
      "%F0%90%90%80",
      "%F0%90%90%A8",
      "%E1%BA%9E",
      "%C3%9F",
    ].map((c) => next(`fold-${c}`)),
  },
  {
    name: "tag of 501 bytes, not of 502",
    steps: [
      next(q(501)),
      { ...next(q(502)), names: "513" },
      next("%C3%BC".repeat(250)),
      { ...next("%C3%BC".repeat(251)), names: "513" },
    ],
  },
  ...["", "%20", "&x=1", "a&tag=b"].map((tag) => ({
    name: `tag refused: '${tag}'`,
    steps: [{ ...next(tag), names: "tag" }],
  })),
  {
    name: "tag absent",
    steps: [
      { path: "{D}/hilo/next", names: "tag" },
      { path: "{D}/hilo/next?", names: "tag" },
    ],
  },
  ...["%00", "%01", "%0B", "%1F"].map((c) => ({
    name: `tag with the control character ${c}`,
    newOnly: true,
    steps: [{ ...next(`c${c}c`), names: "\\u00" }],
  })),
  ...["p%7C", "p%7C%7C", "%7C"].map((tag) => ({
    name: `tag ending with the pipe: ${tag}`,
    steps: [{ ...next(tag), names: "|" }],
  })),
  ...["lastBatchSize", "lastMax"].map((name) => ({
    name: `${name}: numbers`,
    steps: ["", "%20", "%205", "7%20", "%2B5", "-3"].map((v) => next("numbers", `&${name}=${v}`)),
  })),
  ...["lastBatchSize", "lastMax"].flatMap((name) =>
    ["abc", "1.5", "1,000", "0x10", "9223372036854775808", "1e3", "1_0", "--1"].map((v) => ({
      name: `${name}=${v} is no number`,
      steps: [{ ...next("bad", `&${name}=${v}`), names: name }],
    })),
  ),
  ...["--", "%F0%9F%98%80", "-%20"].map((s) => ({
    name: `separator refused: ${s}`,
    steps: [{ ...next("sepbad", `&identityPartsSeparator=${s}`), names: "identityPartsSeparator" }],
  })),
  ...[
    "",
    '"Max":null,',
    '"Max":-3,',
    '"Max":"5",',
    '"Max":" 5",',
    '"Max":5.7,',
    '"Max":-5.7,',
    '"Max":1e3,',
    '"Max":1.10,',
    '"Max":true,',
    '"Max":false,',
    '"Max":9007199254740993,',
    '"Max":"9007199254740993",',
    '"Max":"-5",',
    '"max":7,',
    '"Max":9223372036854775775,',
  ].map((max, i) => ({
    name: `stored ${max || "nothing"} is understood, other members stay`,
    steps: [put(`stored${i}`, max), next(`stored${i}`), document(`stored${i}`)],
  })),
  ...['"Max":"5x",', '"Max":"5.7",', '"Max":"1e3",', '"Max":"",', '"Max":[],', '"Max":{},', '"Max":[1],'].map(
    (max, i) => ({
      name: `stored ${max} is refused`,
      steps: [
        put(`broken${i}`, max),
        { ...next(`broken${i}`), names: "Could not convert" },
        document(`broken${i}`),
      ],
    }),
  ),
  {
    name: "the document may be of another collection",
    steps: [
      {
        method: "PUT",
        path: "{D}/docs?id=Raven/Hilo/other",
        body: '{"Max":7,"@metadata":{"@collection":"Foo"}}',
      },
      next("other"),
      document("other"),
    ],
  },
  {
    name: "deleted document: it begins again; its vector never comes back",
    steps: [
      next("del"),
      document("del"),
      { method: "DELETE", path: "{D}/docs?id=Raven/Hilo/del" },
      document("del"),
      next("del"),
      document("del"),
    ],
  },
  {
    name: "a lower Max that was PUT is obeyed",
    steps: [next("low"), next("low"), put("low", '"Max":3,'), next("low")],
  },
  {
    name: "wrong methods and slashes",
    steps: [
      { method: "POST", path: "{D}/hilo/next?tag=m" },
      { method: "DELETE", path: "{D}/hilo/next?tag=m" },
      { method: "PATCH", path: "{D}/hilo/next?tag=m" },
      { method: "HEAD", path: "{D}/hilo/next?tag=m" },
      { path: "{D}/hilo/next/?tag=m" },
      { path: "{D}//hilo/next?tag=m" },
      next("m"),
    ],
  },
];
