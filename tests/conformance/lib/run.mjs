// Sends a case's requests in order to one subject.
import { send } from "./send.mjs";
import { database } from "./subjects.mjs";

/**
 * Steps may be functions of earlier responses: `(seen) => step`, where `seen.at(i)` is the parsed body of step i,
 * `seen.vector(i)` its change vector, `seen.fence(i)` the fence of its counter, and `seen.ago(i, seconds)` a time
 * before the LastRangeAt that step i granted.
 */
export async function runCase(subject, testCase) {
  const name = await database(subject, testCase.own ? testCase.key : undefined);
  const responses = [];
  const seen = {
    database: name,
    base: subject.url,
    at: (i) => JSON.parse(responses.at(i).text),
    vector: (i) => vectorOf(JSON.parse(responses.at(i).text)),
    fence: (i) => fenceOf(JSON.parse(responses.at(i).text)),
    etag: (i) => responses.at(i).headers.etag,
    ago: (i, seconds) => ago(JSON.parse(responses.at(i).text).LastRangeAt, seconds),
  };
  for (const step of testCase.steps) {
    const { names, ...request } = typeof step === "function" ? step(seen) : step;
    const fill = (text) =>
      text
        ?.replaceAll("{D}", `/databases/${name}`)
        .replaceAll("{db}", name)
        .replaceAll("{DB}", name.toUpperCase());
    const path = fill(request.path);
    const response = await send(subject.url, { ...request, path, body: fill(request.body) });
    responses.push({ ...response, names, request: `${request.method ?? "GET"} ${path}` });
  }
  return { name, responses };
}

/** The change vector in a response: of a PUT, a batch, a load, or the last response inside a multi_get. */
function vectorOf(body) {
  if (body.ChangeVector) return body.ChangeVector;
  const first = body.Results[0];
  if ("StatusCode" in first) return vectorOf(body.Results.at(-1).Result);
  return first["@metadata"]?.["@change-vector"] ?? first["@change-vector"] ?? first.ChangeVector;
}

/** The fence of the counter document in a response: of a load, or the last response inside a multi_get. */
function fenceOf(body) {
  const first = body.Results[0];
  if ("StatusCode" in first) return fenceOf(body.Results.at(-1).Result);
  return `${first["@metadata"]["@change-vector"]} ${first["@metadata"]["@last-modified"]}`;
}

/** Computed as text, because a Date has only three of the seven fraction digits. */
function ago(text, seconds) {
  const moved = new Date(Date.parse(`${text.slice(0, 23)}Z`) - seconds * 1000).toISOString();
  return encodeURIComponent(`${moved.slice(0, 23)}${text.slice(23, 27)}Z`);
}
