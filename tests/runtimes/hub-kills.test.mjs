// kill -9 of workerd at random moments while clients lease and return: no number is with two of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { after } from "../support/cleanup.mjs";
import { hubFolder } from "../support/hub.mjs";
import { start } from "../support/own-workerd.mjs";
import { random } from "../support/random.mjs";
import { MOVE_SCRIPT } from "../support/script.mjs";
import { counter, database, missing, ravendb, send } from "../support/server.mjs";

const KILLS = process.env.RAVEN_EDGE_FULL ? 300 : 25;
const CLIENTS = 6;
const SEED = Number(process.env.RAVEN_EDGE_SEED ?? 1 + Math.floor(Math.random() * 1e9));

/** All numbers that were ever lent, and whether a client has them now. */
class Numbers {
  #with = new Map();
  lent = 0;
  backs = 0;

  take(who, low, high) {
    for (let number = low; number <= high; number++) {
      const other = this.#with.get(number);
      assert.equal(other, undefined, `${number} is with ${other} and with ${who} (seed ${SEED})`);
      this.#with.set(number, who);
    }
    this.lent += high - low + 1;
  }

  /** Called before the return is sent: from then on another client may get the numbers. */
  leave(low, high) {
    for (let number = low; number <= high; number++) this.#with.delete(number);
  }
}

const post = (url, path, body) => send(url, "POST", path, body).catch(() => undefined);

async function leaseFrom(url, name) {
  const body = {
    Requests: [
      { Url: `/databases/${name}/hilo/next`, Query: "?tag=orders", Method: "GET" },
      { Url: `/databases/${name}/docs`, Query: "?id=Raven/Hilo/orders", Method: "GET" },
    ],
  };
  const response = await post(url, `/databases/${name}/multi_get`, body);
  if (response?.status !== 200) return undefined;
  const [{ Result: grant }, { Result: read }] = response.json.Results;
  const metadata = read.Results[0]["@metadata"];
  return {
    low: grant.Low,
    high: grant.High,
    fence: `${metadata["@change-vector"]} ${metadata["@last-modified"]}`,
  };
}

/** A client until its hub dies: it leases, returns, and lets a proxy deliver some returns again. */
async function client(who, url, name, numbers, roll, running) {
  const sent = [];
  while (running()) {
    const lease = await leaseFrom(url, name);
    if (!lease) continue;
    numbers.take(who, lease.low, lease.high);
    if (roll(3) === 0) continue;
    const last = lease.low - 1 + roll(lease.high - lease.low + 2);
    if (last === lease.high) continue;
    numbers.leave(last + 1, lease.high);
    const values = { fence: lease.fence, high: lease.high, last };
    const command = {
      Id: "Raven/Hilo/orders",
      ChangeVector: null,
      Type: "PATCH",
      Patch: { Script: MOVE_SCRIPT, Values: values },
    };
    sent.push({ Commands: [command] });
    const response = await post(url, `/databases/${name}/bulk_docs`, sent.at(-1));
    if (response?.json.Results[0].PatchStatus === "Patched") numbers.backs++;
    if (roll(3) === 0) await post(url, `/databases/${name}/bulk_docs`, sent[roll(sent.length)]);
    if (roll(20) === 0) await post(url, `/release/${name}/orders`);
  }
}

test(`${KILLS} kills of workerd cause no duplicate number`, {
  skip: missing(ravendb),
  timeout: 600_000,
}, async (t) => {
  const name = await database(t, ravendb);
  const folder = await hubFolder(t, ravendb.url, "ranges: { first: 64, largest: 256 }");
  const { below: roll } = random(SEED);
  const numbers = new Numbers();
  let hub;
  after(t, () => hub?.stop());
  for (let kill = 0; kill < KILLS; kill++) {
    hub = await start(folder);
    let alive = true;
    const clients = Array.from({ length: CLIENTS }, (_, i) =>
      client(`client ${kill}.${i}`, hub.url, name, numbers, roll, () => alive),
    );
    // The moment depends on what the clients have done, and on chance.
    const moment = numbers.lent + 1 + roll(400);
    while (numbers.lent < moment) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setTimeout(resolve, roll(4)));
    await hub.kill();
    alive = false;
    await Promise.all(clients);
  }
  hub = await start(folder);
  const last = await leaseFrom(hub.url, name);
  numbers.take("the last client", last.low, last.high);
  assert.ok(numbers.backs > KILLS, `${numbers.backs} returns`);
  t.diagnostic(
    `${numbers.lent} numbers lent, ${numbers.backs} returns, Max ${await counter(ravendb, name, "orders")}`,
  );
});
