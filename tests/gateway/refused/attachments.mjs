// Attacks by attachments, as the other rows; a fourth value: RavenDB gets a beginning, because the contents show what is wrong.
// They try foreign documents, missing levels, limits, and commands that hide in names, contents or parts.

import { request } from "../requests.mjs";

const PUT = {
  Type: "AttachmentPUT",
  Id: "files/1-A",
  Name: "a",
  ChangeVector: null,
  ContentType: "image/png",
};
const COPY = {
  Type: "AttachmentCOPY",
  Id: "files/1-A",
  Name: "a",
  DestinationId: "files/2-A",
  DestinationName: "b",
};
const TYPE = { "content-type": "multipart/mixed; boundary=xx" };
const ESCAPE = "\r\n--xx\r\nContent-Type: application/json\r\n\r\n";

export function attachments({ raven, batch }) {
  const parts = (commands, contents) =>
    `--xx\r\nContent-Type: application/json\r\n\r\n${JSON.stringify({ Commands: commands })}` +
    contents
      .map((content) => `\r\n--xx\r\nContent-Type: application/octet-stream\r\n\r\n${content}`)
      .join("") +
    "\r\n--xx--\r\n";
  const raw = (body, headers = TYPE, route = "bulk_docs") =>
    request("POST", `${raven}/${route}`, body, headers);
  const save = (commands, contents = ["x"]) => raw(parts(commands, contents));
  const put = (more) => save([{ ...PUT, ...more }]);
  const copy = (more) => batch([{ ...COPY, ...more }]);
  const at = (method, query, headers, body) =>
    request(method, `${raven}/attachments?${query}`, body, headers);
  return [
    ["an attachment without its content", batch([PUT]), "RequestMalformed"],
    ["an attachment of a collection without the level", put({ Id: "orders/1-A" }), "CollectionRefused"],
    ["an attachment of a foreign document", put({ Id: "secrets/1-A" }), "CollectionRefused"],
    ["an attachment of a counter", put({ Id: "Raven/Hilo/files" }), "CollectionRefused"],
    ["an attachment of no complete id", put({ Id: "files/" }), "DocumentRefused"],
    ["an attachment of a step upwards", put({ Id: "files/../secrets/1-A" }), "DocumentRefused"],
    ["a name with a separator of RavenDB's keys", put({ Name: "a\u001ed\u001eb" }), "DocumentRefused"],
    ["a name with a line break", put({ Name: "a\r\nX: y" }), "DocumentRefused"],
    ["a name of 513 bytes", put({ Name: "a".repeat(513) }), "DocumentRefused"],
    ["a name that is an object", put({ Name: { Type: "DELETE" } }), "DocumentRefused"],
    [
      "a hash instead of a content",
      put({ Hash: "vd2BPGNCOXIxce8/7phXm5SWTjuxyz5CcmLIwGjVIxk=" }),
      "DocumentRefused",
    ],
    ["another storage", put({ RemoteParameters: { Identifier: "s3" } }), "DocumentRefused"],
    ["a document beside the content", put({ Document: {} }), "DocumentRefused"],
    ["a content type that is not permitted", put({ ContentType: "text/html" }), "DocumentRefused"],
    ["a content type with a header in it", put({ ContentType: "image/png\r\nX: y" }), "DocumentRefused"],
    [
      "a permitted content type before another one",
      put({ ContentType: "image/png, text/html\u0001" }),
      "DocumentRefused",
    ],
    [
      "a deletion without the level",
      batch([{ Type: "AttachmentDELETE", Id: "orders/1-A", Name: "a" }]),
      "CollectionRefused",
    ],
    ["a copy from a foreign document", copy({ Id: "secrets/1-A" }), "CollectionRefused"],
    ["a copy to a foreign document", copy({ DestinationId: "secrets/1-A" }), "CollectionRefused"],
    ["a copy without a destination", copy({ DestinationId: undefined }), "DocumentRefused"],
    [
      "a move that empties a foreign document",
      copy({ Type: "AttachmentMOVE", Id: "products/1-A" }),
      "CollectionRefused",
    ],
    ["a content more than commands", save([PUT], ["x", "y"]), "RequestMalformed", 1],
    ["a content less than commands", save([PUT, { ...PUT, Name: "b" }], ["x"]), "RequestMalformed", 1],
    ["no command that stores one", save([COPY], []), "RequestMalformed"],
    ["a batch inside of a content", save([PUT], [`x${ESCAPE}{"Commands":[]}`]), "RequestMalformed", 1],
    [
      "commands twice",
      raw(parts([PUT], ["x"]).replace(/--\r\n$/, `${ESCAPE}{}\r\n--xx--\r\n`)),
      "RequestMalformed",
      1,
    ],
    ["commands behind the end", raw(parts([PUT], ["x"]) + parts([PUT], ["x"])), "RequestMalformed", 1],
    ["a preamble", raw(`x\r\n${parts([PUT], ["x"])}`), "RequestMalformed"],
    ["no boundary", raw(parts([PUT], ["x"]), { "content-type": "multipart/mixed" }), "RequestMalformed"],
    [
      "two boundaries",
      raw(parts([PUT], ["x"]), { "content-type": `${TYPE["content-type"]}; boundary=yy` }),
      "RequestMalformed",
    ],
    [
      "a compressed body",
      raw(parts([PUT], ["x"]), { ...TYPE, "content-encoding": "gzip" }),
      "RequestMalformed",
    ],
    [
      "a form",
      raw(parts([PUT], ["x"]), { "content-type": "multipart/form-data; boundary=xx" }),
      "RequestMalformed",
    ],
    ["a body that breaks off", raw(parts([PUT], ["x"]).slice(0, -8)), "RequestMalformed", 1],
    ["parts for another route", raw(parts([PUT], ["x"]), TYPE, "docs"), "RequestMalformed"],
    ["a content that is too large", save([PUT], ["x".repeat(2_001)]), "LimitExceeded", 1],
    [
      "contents that are too large together",
      save([PUT, PUT, PUT], ["x", "y", "z".repeat(6_000)]),
      "LimitExceeded",
      1,
    ],
    ["commands that are too large", save([{ ...PUT, Name: "x".repeat(9_000) }]), "LimitExceeded"],
    ["too many commands", save(Array(7).fill(PUT), Array(7).fill("x")), "LimitExceeded"],
    ["an attachment without the level", at("GET", "id=products%2F1-A&name=a"), "CollectionRefused"],
    ["an attachment of a foreign document", at("GET", "id=secrets%2F1-A&name=a"), "CollectionRefused"],
    ["two documents", at("GET", "id=files%2F1-A&id=secrets%2F1-A&name=a"), "RequestMalformed"],
    ["a document in other letters", at("GET", "ID=secrets%2F1-A&id=files%2F1-A&name=a"), "RouteRefused"],
    ["no name", at("GET", "id=files%2F1-A"), "RequestMalformed"],
    ["several ranges", at("GET", "id=files%2F1-A&name=a", { range: "bytes=0-0,2-2" }), "RequestMalformed"],
    [
      "an attachment of a revision",
      at("POST", "id=files%2F1-A&name=a", {}, { Type: "Revision", ChangeVector: "A:1-x" }),
      "RouteRefused",
    ],
    ["an attachment by its hash", at("GET", "id=files%2F1-A&name=a&hash=x"), "RouteRefused"],
    ["storing one by its route", at("PUT", "id=secrets%2F1-A&name=a", {}, "x"), "CollectionRefused"],
    [
      "storing one that is too large",
      at("PUT", "id=files%2F1-A&name=a&contentType=image%2Fpng", {}, "x".repeat(2_001)),
      "LimitExceeded",
      1,
    ],
    ["deleting one by its route", at("DELETE", "id=secrets%2F1-A&name=a"), "CollectionRefused"],
    [
      "several attachments at once",
      request("POST", `${raven}/attachments/bulk`, { Attachments: [] }),
      "RouteRefused",
    ],
  ];
}
