// A proxy that delays, drops, duplicates and cuts at random what goes between the pages and RavenDB.
import { isCounterWrite, isLease, isReturn, isSave } from "../../support/proxy.mjs";

/** The share of requests that something happens to; returns are rare, and what is replayed is the risk in them. */
const SHARE = 0.25;
const SHARE_OF_RETURNS = 0.6;

/** What happens to leases, returns and whatever is read. */
const ANY = [
  ..."delay delay delay drop drop lose lose cut cut twice twice twice later later hole".split(" "),
];

/** A save that arrives twice is refused the second time, rightly: its ids are taken by itself. */
const TO_SAVES = ["delay", "delay", "drop"];

/** Sets the proxy's rule; `site` is what stands behind it, and requests below `raven` are RavenDB's. */
export function faults(wire, random, site, ledger, raven = "/raven/") {
  const copies = [];
  let quiet = false;
  const send = ({ method, target, body }) =>
    fetch(site + target, {
      method,
      body: body || undefined,
      headers: body ? { "content-type": "application/json" } : {},
    }).then(
      (answer) => answer.arrayBuffer(),
      () => {},
    );
  const happen = {
    delay: () => new Promise((resolve) => setTimeout(resolve, random.below(150))),
    drop: () => "drop",
    lose: () => "lose",
    cut: () => ({ cut: random.below(200) }),
    hole: () => "hole",
    // The answer that comes back is the second one's.
    twice: async (request) => void (await send(request)),
    later: (request) => void copies.push(request),
  };
  wire.rule = (request) => {
    if (quiet || !request.path.startsWith(raven)) return undefined;
    if (!random.chance(isReturn(request) ? SHARE_OF_RETURNS : SHARE)) return undefined;
    const fault = random.pick(isSave(request) ? TO_SAVES : ANY);
    request.fault = fault;
    return happen[fault](request);
  };
  return {
    /** Has the copies delivered that were kept back: long after their originals, and their pages are gone. */
    async replay() {
      await Promise.all(
        copies.splice(0).map((request) => {
          ledger.say(`delivered again: ${request.body}`);
          return send(request);
        }),
      );
    },
    /** While it works nothing goes wrong. */
    async without(action) {
      quiet = true;
      try {
        return await action();
      } finally {
        quiet = false;
      }
    },
    /** Tells the ledger of the leases and returns since the last time, and forgets all requests. */
    tell() {
      for (const request of wire.requests.splice(0)) {
        if (isLease(request) || isCounterWrite(request)) tellLease(request, ledger);
        else if (isReturn(request)) tellReturns(request, ledger);
        else if (isSave(request) && request.fault) ledger.say(`save: ${request.fault}`);
      }
    },
  };
}

function tellLease({ body, fault, answer }, ledger) {
  const told = `lease ${fault ?? ""} ${body.slice(0, 300)} -> ${answer?.slice(0, 600)}`;
  const { Prefix, Low, High } = grant(answer) ?? {};
  ledger.say(told, Prefix ? Prefix.slice(0, -1).toLowerCase() : undefined, Low, High);
}

function grant(answer) {
  try {
    return JSON.parse(answer).Results[0].Result;
  } catch {
    return undefined;
  }
}

function tellReturns({ body, fault, answer }, ledger) {
  ledger.say(`return ${fault ?? ""} ${body.replace(/"Script":"[^"]*"/g, '"Script":…')} -> ${answer}`);
}
