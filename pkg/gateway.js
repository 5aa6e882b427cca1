// The gateway as a Worker: reads the request, asks the core, sends what it makes, and answers what it says.

import { Gateway, initSync } from "./gen/edge.js";
import wasm from "./gen/edge_bg.wasm";

initSync({ module: wasm });

export default function gateway(options) {
  // What is a function, or a secret, stays out of the core's configuration.
  const { upstream, secret, authorize, rateLimit, ...config } = checked(options);
  const core = new Gateway(config);
  // What is known already is checked already.
  if (typeof upstream === "string") reached(upstream);
  if (typeof secret === "string" || Array.isArray(secret)) secrets(secret);

  return {
    fetch(request, env, context) {
      const answer = answered(request, env);
      // Where the caller goes away the platform would never go on with this, and the ruling would stay in the core's memory.
      context?.waitUntil(answer.catch(() => {}));
      return answer;
    },
  };

  async function answered(request, env) {
    const ruling = core.rule(request.method, request.url, [...request.headers]);
    try {
      if (ruling.isOpen) await run(ruling, request, env);
      const head = ruling.head();
      const bytes = ruling.body();
      // Answers of these statuses must not have a body, not even an empty one.
      const empty = bytes.length === 0 || request.method === "HEAD";
      return new Response(empty ? null : bytes, head);
    } finally {
      ruling.free();
    }
  }

  async function run(ruling, request, env) {
    // Before anything that costs: a flood need not be of requests that make sense.
    try {
      if (!(await isWithinRate(rateLimit, request, env)))
        return ruling.refuse("RateLimited", "too many requests; wait a moment");
    } catch (error) {
      return misconfigured(ruling, error);
    }
    ruling.judge(await read(request, core.bodyLimit));
    if (ruling.operations() === undefined) return;
    const identity = await permitted(ruling, request);
    if (identity === undefined) return;
    let sent;
    let send;
    try {
      const { url, fetch: own = fetch } = reached(typeof upstream === "function" ? upstream(env) : upstream);
      const words = secrets(typeof secret === "function" ? secret(env) : secret);
      sent = ruling.bind(url, words, identity === true ? undefined : identity);
      send = own;
    } catch (error) {
      return misconfigured(ruling, error);
    }
    if (sent === undefined) return;
    try {
      const answer = await send(sent);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      ruling.heard(answer.status, [...answer.headers], bytes);
    } catch (error) {
      log(error);
      ruling.refuse("UpstreamUnreachable", "RavenDB cannot be reached");
    }
    // Which documents are included the answer tells, and only that.
    if (ruling.operations() !== undefined) await permitted(ruling, request);
  }

  /** What `authorize` says of the caller, `true` without one; refuses and gives nothing where it does. */
  async function permitted(ruling, request) {
    if (!authorize) return true;
    try {
      const identity = await authorize(request, { operations: ruling.operations() });
      // An empty text names nobody.
      if (identity === true || (typeof identity === "string" && identity !== "")) return identity;
    } catch (error) {
      log(error);
    }
    ruling.refuse("NotAuthorized", "the caller may not do this");
  }
}

function misconfigured(ruling, error) {
  log(error);
  ruling.refuse("Misconfigured", "the gateway is not configured; its log says more");
}

function log(error) {
  console.error(`raven-edge gateway: ${error?.message ?? error}`);
}

/** The configuration, with its functions in their places. */
function checked(options) {
  if (typeof options !== "object" || options === null)
    throw new TypeError("the gateway needs a configuration");
  const { upstream, secret, authorize, rateLimit } = options;
  const either = (value, kinds) => kinds.includes(Array.isArray(value) ? "array" : typeof value);
  const wrong = [
    [either(upstream, ["string", "function"]), "upstream: an address, or a function of env"],
    [either(secret, ["string", "array", "function"]), "secret: a text, several, or a function of env"],
    [either(authorize, ["undefined", "function"]), "authorize: a function"],
    [
      rateLimit === undefined || either(rateLimit?.limiter, ["function"]),
      "rateLimit.limiter: a function of env",
    ],
    [either(rateLimit?.key, ["undefined", "function"]), "rateLimit.key: a function of the request"],
  ].find(([fine]) => !fine);
  if (wrong) throw new TypeError(wrong[1]);
  return options;
}

function reached(upstream) {
  const { url, fetch } = typeof upstream === "string" ? { url: upstream } : (upstream ?? {});
  if (typeof url !== "string" || !/^https?:\/\/[^?#@ ]+$/.test(url)) {
    throw new TypeError('upstream: an address such as "https://ravendb.example"');
  }
  return { url, fetch };
}

function secrets(secret) {
  const all = [secret].flat();
  if (all.length === 0 || all.some((one) => typeof one !== "string" || one.length < 32)) {
    throw new TypeError("secret: at least 32 random characters");
  }
  return all;
}

/** At most one byte more than the limit: the core sees that it is too much. */
async function read(request, limit) {
  if (request.body === null) return new Uint8Array();
  const chunks = [];
  let length = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
    if (length > limit) {
      reader.cancel().catch(() => {});
      break;
    }
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

async function isWithinRate(rateLimit, request, env) {
  if (!rateLimit) return true;
  const { limiter, key = (of) => of.headers.get("CF-Connecting-IP") ?? "" } = rateLimit;
  const { success } = await limiter(env).limit({ key: key(request) });
  return success;
}
