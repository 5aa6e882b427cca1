// A proxy that randomly delays, drops, duplicates and truncates requests between the pages and RavenDB.
import { networkFaults } from "../../support/network-faults.mjs";
import { isCounterWrite, isLease, isReturn, isSave } from "../../support/proxy.mjs";

/** The share of affected requests; returns are rare, and replayed ones are their main risk. */
const SHARE = 0.25;
const SHARE_OF_RETURNS = 0.6;

/** Faults of leases, returns and reads. */
const ANY = [
  ..."delay delay delay drop drop lose lose cut cut twice twice twice later later hole".split(" "),
];

/** The second delivery of a save is refused, rightly: the first one used its ids. */
const TO_SAVES = ["delay", "delay", "drop"];

/** Sets the proxy's rule; `site` is behind the proxy, and requests below `raven` go to RavenDB. */
export function faults(wire, random, site, ledger, raven = "/raven/") {
  const copies = [];
  let quiet = false;
  const send = ({ method, target, body }) =>
    fetch(site + target, {
      method,
      body: body || undefined,
      headers: body ? { "content-type": "application/json" } : {},
    }).then(
      (response) => response.arrayBuffer(),
      () => {},
    );
  const happen = networkFaults(random, { longest: 150, again: send, late: copies });
  wire.rule = (request) => {
    if (quiet || !request.path.startsWith(raven)) return undefined;
    if (!random.chance(isReturn(request) ? SHARE_OF_RETURNS : SHARE)) return undefined;
    const fault = random.pick(isSave(request) ? TO_SAVES : ANY);
    request.fault = fault;
    return happen[fault](request);
  };
  return {
    /** Delivers the copies that were kept back: long after their originals, when their pages are closed. */
    async replay() {
      await Promise.all(
        copies.splice(0).map((request) => {
          ledger.say(`delivered again: ${request.body}`);
          return send(request);
        }),
      );
    },
    /** While this runs no faults occur. */
    async without(action) {
      quiet = true;
      try {
        return await action();
      } finally {
        quiet = false;
      }
    },
    /** Passes the leases and returns since the last call to the ledger, and forgets all requests. */
    tell() {
      for (const request of wire.requests.splice(0)) {
        if (isLease(request) || isCounterWrite(request)) tellLease(request, ledger);
        else if (isReturn(request)) tellReturns(request, ledger);
        else if (isSave(request) && request.fault) ledger.say(`save: ${request.fault}`);
      }
    },
  };
}

function tellLease({ body, fault, responseText }, ledger) {
  const line = `lease ${fault ?? ""} ${body.slice(0, 300)} -> ${responseText?.slice(0, 600)}`;
  const { Prefix, Low, High } = grant(responseText) ?? {};
  ledger.say(line, Prefix ? Prefix.slice(0, -1).toLowerCase() : undefined, Low, High);
}

function grant(responseText) {
  try {
    return JSON.parse(responseText).Results[0].Result;
  } catch {
    return undefined;
  }
}

function tellReturns({ body, fault, responseText }, ledger) {
  ledger.say(`return ${fault ?? ""} ${body.replace(/"Script":"[^"]*"/g, '"Script":…')} -> ${responseText}`);
}
