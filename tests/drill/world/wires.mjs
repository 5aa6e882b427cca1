// Faulty wires: one before RavenDB, through which everything goes and which writes the books, and one before each client.
import { networkFaults } from "../../support/network-faults.mjs";
import { isLease, isSave, proxy } from "../../support/proxy.mjs";
import { marksIn } from "../book/marks.mjs";

/** The share of requests that something happens to. */
const SHARE = 0.08;

/** What may happen to any request: `later` and `twice` deliver it a second time. */
const ANY = "delay delay delay drop drop lose lose cut cut twice later busy hole".split(" ");

/**
 * A save without a receipt may not be delivered twice: the second delivery is refused if the first one was carried out, and carried out
 * if the first one was refused. A browser itself sends a request again whose connection ends without a response.
 */
const TO_SAVES = ["delay", "delay", "drop"];

const isBatch = ({ path, method }) => method === "POST" && /\/bulk_docs$/.test(path);
const isQueued = ({ body }) => /Raven-Edge\/Devices\//.test(body);
const isOurs = ({ path }) => /\/databases\/drill\//.test(path);

/** Faults of a wire to `target`, drawn from `dice`. `seen(request)` is called for each copy, too; it returns what takes its response. */
export async function faultyWire(t, target, dice, recorder, seen) {
  const wire = await proxy(t, target);
  const copies = [];
  const faults = { share: SHARE, isClosed: false, active: 0 };
  const again = async ({ method, path, target: at, body, headers }) => {
    const done = seen?.({ method, path, body });
    try {
      const kept = { "content-type": headers["content-type"] ?? "application/json" };
      if (headers["x-user"]) kept["x-user"] = headers["x-user"];
      const response = await fetch(new URL(at, target), { method, body: body || undefined, headers: kept });
      done?.(response.status, await response.text(), response.headers);
    } catch {
      // The server was ending.
    }
  };
  const happen = networkFaults(dice, { longest: 400, again, late: copies });
  const pick = (request) => {
    if (!isOurs(request) || !dice.chance(faults.share)) return undefined;
    const what = dice.pick(isBatch(request) && isSave(request) && !isQueued(request) ? TO_SAVES : ANY);
    recorder.count(`network ${what}`);
    return happen[what](request);
  };
  wire.rule = async (request) => {
    if (faults.isClosed) return "drop";
    const rule = await pick(request);
    if (faults.isClosed || rule === "drop" || rule === "hole" || rule?.status) return rule ?? "drop";
    request.done = seen?.(request);
    return rule;
  };
  wire.change = ({ status, body, headers }, request) => {
    request.done?.(status, body.toString(), new Headers(flat(headers)));
    request.settled = true;
    if (status >= 400 && isBatch(request))
      recorder.say(`${status} ${request.body.slice(0, 300)} -> ${body.toString().slice(0, 300)}`);
  };
  return Object.assign(faults, {
    wire,
    url: wire.url,
    /** Delivers the copies that were kept back. */
    async replay() {
      const late = copies.splice(0);
      recorder.count("delivered again", late.length);
      await Promise.all(late.map(again));
    },
    /** Forgets requests that have ended. */
    forget() {
      const pending = wire.requests.filter(({ to }) => to === undefined);
      wire.requests.splice(0, wire.requests.length, ...pending);
    },
    get pending() {
      return wire.requests.filter(({ done, settled, to }) => done && !settled && to === undefined).length;
    },
  });
}

const flat = (headers) => Object.entries(headers).map(([name, value]) => [name, String(value)]);

/** What the wire before RavenDB writes into the books. */
export const books = (recorder) => (request) => {
  if (isBatch(request)) {
    const done = recorder.write(request.body);
    return (status) => {
      recorder.say(`write ${status}: ${marksIn(request.body).slice(-6).join(" ")}`);
      done(status);
    };
  }
  if (!isLease(request)) return () => {};
  return (_, text, headers) => {
    const incarnation = headers.get("Database-Cluster-Tx-Id") ?? undefined;
    for (const { Prefix, Low, High } of granted(text))
      recorder.grant({ tag: Prefix.slice(0, -1).toLowerCase(), low: Low, high: High, incarnation });
  };
};

function granted(text) {
  try {
    const value = JSON.parse(text);
    const results = value.Results ? value.Results.map(({ Result }) => Result) : [value];
    return results.filter((result) => result?.Prefix);
  } catch {
    return [];
  }
}
