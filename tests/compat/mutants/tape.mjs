// The requests of a case and their responses: recorded once, then played to its runs with mutants, which need no server as long as they
// send the same requests.
import { createHash } from "node:crypto";
import { random } from "../../support/random.mjs";

/** Replaces the platform's random numbers by those of a seed: names of databases and ids are the same in each run. */
export function seedRandomness(text) {
  const { below } = random(createHash("sha256").update(text).digest().readUInt32LE());
  const bytes = (count) => Uint8Array.from({ length: count }, () => below(256));
  crypto.getRandomValues = (array) => {
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(bytes(array.byteLength));
    return array;
  };
  crypto.randomUUID = () => {
    const hex = Buffer.from(bytes(16)).toString("hex");
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
  };
  Math.random = () => below(2 ** 32) / 2 ** 32;
}

/** Headers that depend on when the client has read the topology. */
const TIMING = /^(content-length|topology-etag|client-configuration-etag)$/;
/** Requests that a client sends beside those of the app, at any time. */
const ASIDE = /^GET [^ ]*\/(topology\?|configuration\/client)/;

/** What makes a request the same; times differ from run to run. */
function keyOf(request, body) {
  const headers = [...request.headers].filter(([name]) => !TIMING.test(name)).sort();
  const text = body.toString("latin1").replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z?/g, "<time>");
  return `${request.method} ${request.url} ${JSON.stringify(headers)} ${text}`;
}

async function parts(given, init) {
  const request = new Request(
    given,
    init?.body instanceof ReadableStream ? { ...init, duplex: "half" } : init,
  );
  return { request, body: Buffer.from(await request.clone().arrayBuffer()) };
}

const real = globalThis.fetch;
const isOf = (server, url) => String(url?.url ?? url).startsWith(server);
/** What `Response` does not take with a body. */
const LEFT_OUT = /^(connection|keep-alive|transfer-encoding|content-encoding|content-length)$/;

/**
 * Records what is sent to the server from now on; `entries` of the result grows. `before` of an entry: those whose responses were there
 * when it was sent. `live`: it cannot be played.
 */
export function record(server) {
  const entries = [];
  globalThis.fetch = async (given, init) => {
    if (!isOf(server, given)) return real(given, init);
    const entry = { before: entries.flatMap(({ ended }, at) => (ended ? [at] : [])) };
    entries.push(entry);
    // A stream may wait for what comes after it.
    entry.live = init?.body instanceof ReadableStream;
    if (entry.live) return real(given, init);
    try {
      const { request, body } = await parts(given, init);
      entry.key = keyOf(request, body);
      const response = await real(given, init);
      entry.content = Buffer.from(await response.arrayBuffer()).toString("base64");
      entry.status = response.status;
      entry.headers = [...response.headers].filter(([name]) => !LEFT_OUT.test(name));
      return made(entry);
    } catch (error) {
      entry.live = true;
      throw error;
    } finally {
      entry.ended = true;
    }
  };
  return entries;
}

const made = ({ status, headers, content }) =>
  new Response([101, 204, 205, 304].includes(status) ? null : Buffer.from(content, "base64"), {
    status,
    headers,
  });

/** Plays recorded responses; `diverged` of the result becomes true with the first request that was not sent at this place. */
export function play(server, entries) {
  const played = new Set();
  const state = {
    diverged: undefined,
    /** Whether all requests were sent. */
    get isOver() {
      return entries.every(({ key }, at) => ASIDE.test(key) || played.has(at));
    },
  };
  globalThis.fetch = async (given, init) => {
    if (!isOf(server, given)) return real(given, init);
    init?.signal?.throwIfAborted();
    const { request, body } = await parts(given, init);
    const key = keyOf(request, body);
    if (ASIDE.test(key)) {
      const alike = entries.filter((entry) => entry.key === key);
      if (alike.length > 0) return made(alike.at(-1));
    }
    const at = entries.findIndex((entry, at) => !played.has(at) && entry.key === key);
    const entry = entries[at];
    if (!entry || entry.before.some((other) => !played.has(other) && !ASIDE.test(entries[other].key))) {
      state.diverged ??= key.slice(0, 300);
      // A refusal, so that the client does not try again.
      return Response.json(
        { Type: "Diverged", Message: "not recorded", Error: "not recorded" },
        { status: 400 },
      );
    }
    played.add(at);
    return made(entry);
  };
  return state;
}
