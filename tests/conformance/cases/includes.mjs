// GET docs?id=…&include=….
const put = (id, body) => ({
  method: "PUT",
  path: `{D}/docs?id=${encodeURIComponent(id)}`,
  body: JSON.stringify(body),
});
const get = (query, headers = {}) => ({ path: `{D}/docs?${query}`, headers });
const include = (path, id = "inc/m") => get(`id=${id}&include=${encodeURIComponent(path)}`);

const stored = [
  put("inc/1", { n: 1, Boss: "inc/2" }),
  put("inc/2", { Boss: "inc/m" }),
  put("inc/3", { "@metadata": { "@collection": "C" } }),
  put("inc a/1", {}),
  put("inc/ü", {}),
  put("inc/true", {}),
  put("inc/1.5", {}),
  put("inc/m", {
    Boss: "inc/1",
    boss: "inc/2",
    Tags: ["inc/1", "inc/2", "inc/nope", null, 5, "inc/1", "", {}, true],
    Deep: { Ref: "inc/3", Arr: ["inc/2"], Items: [{ Ref: "inc/1" }, { Ref: "inc/2" }, { No: 1 }, 5] },
    Number: 1,
    Fraction: 1.5,
    True: true,
    Null: null,
    Empty: "",
    Self: "inc/m",
    Case: "INC/1",
    "a b": "inc a/1",
    ü: "inc/ü",
    "x.y": "inc/1",
    Nested: [["inc/1"], ["inc/2"]],
    Map: { "inc/1": "inc/2" },
    Text: "3",
    Numbers: [1, 2],
    Blanks: " inc/1 ",
    Long: "x".repeat(600),
    "@metadata": { Ref: "inc/3", "@collection": "M" },
  }),
];

export default [
  ...[
    ...["Boss", "boss", "BOSS", "Nope", "Deep.Ref", "Deep.Nope", "Nope.Deep", "Boss.Deep", "Deep"],
    ...["Tags", "Tags[]", "Deep.Arr", "Deep.Arr[]", "Deep.Items.Ref", "Deep.Items[].Ref", "Deep.Items"],
    ...["Number", "Fraction", "True", "Null", "Empty", "Self", "Case", "a b", "ü", "x.y", "Blanks", "Long"],
    ...["Nested", "Nested[]", "Map", "@metadata.Ref", "@metadata", "id", "@id", "Boss,boss"],
    ...["Number(inc/)", "Fraction(inc/)", "True(inc/)", "Text(inc/)", "Numbers(inc/)", "Boss(inc/)"],
    ...["Nope(inc/)", "Boss()", "(inc/)", "Text(inc/", ".", "Boss.", "Deep..Ref", " "],
  ].map((path, i) => ({ name: `path '${path}'`, steps: [...(i === 0 ? stored : []), include(path)] })),
  {
    name: "several paths, several documents, none twice",
    steps: [
      get("id=inc/m&include=Boss&include=boss&include=Boss&include=Case"),
      get("id=inc/m&id=inc/1&include=Boss"),
      get("id=inc/m&id=inc/1&include=boss&include=Boss"),
      get("id=inc/none&include=Boss"),
      get("id=inc/none&id=inc/1&include=Boss"),
      get("id=inc/2&include=Boss&include=Self"),
      get("id=inc/m&include=Boss&metadataOnly=true"),
      include("Boss", "INC/M"),
      { method: "POST", path: "{D}/docs?include=Boss", body: '{"Ids":["inc/m","inc/none"]}' },
    ],
  },
  {
    name: "If-None-Match: the included document counts",
    steps: [
      put("ine/1", { Boss: "ine/2" }),
      put("ine/2", { n: 1 }),
      get("id=ine/1&include=Boss"),
      (s) => get("id=ine/1&include=Boss", { "If-None-Match": s.etag(2) }),
      (s) => get("id=ine/1", { "If-None-Match": s.etag(2) }),
      put("ine/2", { n: 2 }),
      (s) => get("id=ine/1&include=Boss", { "If-None-Match": s.etag(2) }),
      { method: "DELETE", path: "{D}/docs?id=ine/2" },
      get("id=ine/1&include=Boss"),
    ],
  },
].map((c) => ({ ...c, name: `includes: ${c.name}` }));
