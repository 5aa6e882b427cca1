// One seed: rounds of random calls in tabs of one profile, and checks after each round.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { inTabs } from "../../support/pages.mjs";
import { random } from "../../support/random.mjs";
import { ravendb } from "../../support/server.mjs";
import { within } from "../../support/store.mjs";
import { faults } from "../kills/faults.mjs";
import { Ledger } from "../kills/ledger.mjs";
import { delays, setBack } from "./back.mjs";
import { assertCounted, judge } from "./judge.mjs";
import { planOptions, planRound } from "./plan.mjs";

/**
 * In milliseconds: within this time every store issues ids once no faults occur; far more than pending work takes.
 */
const LIMIT = 60_000;

const script = (path) => (_, response) =>
  response
    .writeHead(200, { "content-type": "text/javascript" })
    .end(readFileSync(new URL(path, import.meta.url)));

const handlers = {
  "/random/page.js": script("page.js"),
  "/random/device.js": script("device.js"),
  "/random/random.mjs": script("../../support/random.mjs"),
};

const PAGE = `<!doctype html><meta charset=utf-8><title>random</title><script type=module src=/random/page.js></script>`;

/**
 * A test with `rounds` in `tabs` tabs with `stores` stores each; the shares of calls that are `traps` and of
 * transactions that fail (`device`); whether the `network` fails, and whether counters are lowered (`back`).
 */
export function atRandom(name, { seed, again, ...options }) {
  const body = async (tools) => {
    const ledger = new Ledger();
    try {
      const summary = await live({ ...tools, ledger, seed, ...options });
      tools.t.diagnostic(`seed ${seed}: ${summary}`);
    } catch (error) {
      error.message += `\nagain: ${again}; the whole story: ${await ledger.write("random", seed)}`;
      throw error;
    }
  };
  inTabs(name, body, { pages: { "/": PAGE }, handlers, timeout: 300_000 });
}

async function live({ base, tab, load, wire, ledger, seed, rounds, device, network, ...options }) {
  const setting = { ...options, options: planOptions(random(seed)) };
  const proxy = faults(wire, random(seed, 0), ravendb.url, ledger, "/databases/");
  if (!network) wire.rule = delays(random(seed, 0));
  const pages = await Promise.all(Array.from({ length: options.tabs }, () => tab()));
  const errors = {};
  /** After a slow transaction the device may not know all issued numbers, so a lowered counter cannot be noticed. */
  const blind = () => options.back && ledger.troubles.length > 0;

  /** Passes the records to the ledger in chronological order. */
  const drain = async () => {
    const notes = (await Promise.all(pages.map((page) => page.evaluate(() => drain())))).flat();
    for (const note of notes.sort((one, other) => one.at - other.at)) {
      if (note.kind === "failed") errors[note.code] = (errors[note.code] ?? 0) + 1;
      else if (note.kind === "lease") {
        const { tag, low, high } = note.detail;
        ledger.say(JSON.stringify(note), tag.toLowerCase(), low, high);
      } else ledger.take(note);
    }
    proxy.tell();
    if (!blind()) judge(ledger, errors, options);
  };

  const reload = async (planned) => {
    for (const [at, page] of pages.entries()) {
      if (!planned[at]) continue;
      ledger.say(`tab ${at} is loaded anew`);
      await load(page);
    }
  };

  const lives = async (page) => {
    const ids = page.evaluate(() => live());
    try {
      await within(LIMIT, ids, "an id of every store");
    } finally {
      await drain();
    }
  };

  for (let round = 1; round <= rounds && !blind(); round++) {
    const plan = planRound(random(seed, round), setting);
    ledger.say(`round ${round}`);
    const work = (page, at) =>
      page.evaluate((args) => work(...args), [base, plan.tabs[at], device, seed, round, at]);
    await Promise.all(pages.map(work));
    if (options.back) await drain();
    for (const tag in plan.back) ledger.say(await setBack(base, tag, ledger.highest(tag), plan.back[tag]));
    await reload(plan.early);
    await proxy.replay();
    if (plan.calm || round === rounds) await proxy.without(() => Promise.all(pages.map(lives)));
    await reload(plan.late);
    await drain();
    if (!options.back) await assertCounted(base, ledger);
  }
  assert.notEqual(ledger.taken.size, 0);
  return `${ledger.taken.size} ids, errors ${JSON.stringify(errors)}, storage ${ledger.troubles.length}`;
}
