// The parts of a response that must be equal: everything but times, texts of vectors, stack traces and versions.
// Vectors are numbered in order of appearance, so that vectors that are equal in one response must be equal in the
// other.
import assert from "node:assert/strict";

const VECTOR = /^(?:[A-Z]{1,4}:\d+-[A-Za-z0-9+/]{22}(?:, )?)+$/;
const HASH = /^Hash-/;
const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** An id that was completed because the one from the etag was taken: it ends in the id of the database. */
const OF_DATABASE = /^(.*\/\d{19}-)[A-Za-z0-9+/]{22}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z?$/;
const NEVER = "0001-01-01T00:00:00.0000000";

/** Checks that the subject's response equals the reference's. */
export function compareRuns(expected, actual, { returnStatus } = {}) {
  const reference = normalise(expected);
  const subject = normalise(returnStatus ? asNow(actual, returnStatus) : actual);
  for (const [i, response] of subject.entries()) {
    assert.deepEqual(
      response,
      reference[i],
      `step ${i}: ${actual.responses[i].request}\n${actual.responses[i].text.slice(0, 600)}`,
    );
  }
  for (const run of [expected, actual]) {
    for (const response of run.responses) {
      if (response.names === undefined) continue;
      const { Message } = JSON.parse(response.text);
      assert.ok(Message.includes(response.names), `the message must name ${response.names}: ${Message}`);
    }
  }
}

/** Rewrites responses of an older server, whose hilo/return has another status, into today's form. */
function asNow(run, returnStatus) {
  const responses = run.responses.map((response) => {
    const text = response.text.replaceAll(
      `{"Result":null,"StatusCode":${returnStatus},`,
      '{"Result":null,"StatusCode":200,',
    );
    const isReturn = response.request.includes("/hilo/return") && response.status === returnStatus;
    if (!isReturn) return { ...response, text };
    return {
      ...response,
      status: 200,
      headers: { ...response.headers, "content-type": "application/json; charset=utf-8" },
    };
  });
  return { ...run, responses };
}

function normalise({ name, responses }) {
  const tokens = new Map();
  const token = (kind, text) => {
    const key = `${kind} ${text}`;
    if (!tokens.has(key))
      tokens.set(key, `<${kind} ${[...tokens.keys()].filter((k) => k.startsWith(kind)).length}>`);
    return tokens.get(key);
  };
  const text = (value) => {
    if (VECTOR.test(value)) return token("vector", value);
    if (HASH.test(value)) return token("hash", value);
    if (GUID.test(value)) return token("guid", value);
    if (OF_DATABASE.test(value)) return value.replace(OF_DATABASE, "$1<database>");
    // An ETag inside a multi_get response.
    if (/^".*"$/.test(value)) return `"${text(value.slice(1, -1))}"`;
    if (TIME.test(value) && value !== NEVER) return "<time>";
    return value;
  };
  return responses.map(({ status, headers, text: body }) => ({
    status,
    headers: {
      "content-type": headers["content-type"],
      etag: headers.etag && text(headers.etag),
      "database-cluster-tx-id":
        headers["database-cluster-tx-id"] && token("incarnation", headers["database-cluster-tx-id"]),
      "refresh-topology": headers["refresh-topology"],
      "database-missing": headers["database-missing"]?.replaceAll(name, "{db}"),
    },
    body: body === "" ? "" : member("", parse(body), { name, text }),
  }));
}

/** JSON with numbers in their notation: doubles would hide differences. */
function parse(text) {
  const numbers = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  return JSON.parse(text.replace(numbers, (part) => (part.startsWith('"') ? part : `"number ${part}"`)));
}

function member(key, value, context) {
  if (Array.isArray(value)) return value.map((item) => member(key, item, context));
  if (value && typeof value === "object") {
    const out = {};
    // Sorted, so that vectors are numbered in the same order whatever the order of members.
    for (const name of Object.keys(value).sort()) out[name] = member(name, value[name], context);
    // Only some servers report their version here, and subjects without nodes have no url.
    delete out.ServerVersion;
    delete out["Server-Startup-Time"];
    if ("RaftCommandIndex" in out)
      return "Name" in out ? { Name: out.Name.replaceAll(context.name, "{db}") } : {};
    if ("Nodes" in out) out.Etag = "<etag>";
    if ("CountOfDocuments" in out) {
      // Only the real server can report memory, disk and queues.
      for (const name of [
        "NumberOfTransactionMergerQueueOperations",
        "Is64Bit",
        "Pager",
        "SizeOnDisk",
        "TempBuffersSizeOnDisk",
      ])
        delete out[name];
      out.DatabaseId = "<id>";
    }
    if ("BuildVersion" in out) delete out.CommitHash;
    return out;
  }
  if (typeof value !== "string") return value;
  if (key === "Message" || key === "Error") return value.trim() === "" ? "" : "<text>";
  if (key === "WebUrl") return "<url>";
  if (key === "Url")
    return value
      .replace(/^https?:\/\/.*/, "<url>")
      .replaceAll(context.name, "{db}")
      .replace(/lastRangeAt=[^&]*/g, "lastRangeAt=<time>")
      .replace(/^\/raven(?=\/)/, "");
  return context.text(value);
}
