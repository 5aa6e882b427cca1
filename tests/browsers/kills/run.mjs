// One profile of one browser from its first start to its last: rounds of work, each of which ends in a death.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "../../support/cleanup.mjs";
import { random } from "../../support/random.mjs";
import { database, ravendb } from "../../support/server.mjs";
import { Device } from "./device.mjs";
import { compare } from "./documents.mjs";
import { faults } from "./faults.mjs";
import { Ledger } from "./ledger.mjs";
import { OtherClient } from "./other.mjs";
import { planRound } from "./plan.mjs";
import { recorder } from "./recorder.mjs";
import { site } from "./site.mjs";

/** The share of rounds that kill the whole browser: lower where its start takes seconds. */
const RESTARTS = { Firefox: 0.12 };
const RESTART = 0.2;

/** Runs rounds until this many kills or a duplicate; returns what happened. A failure keeps the whole history. */
export async function run(t, browser, options) {
  const ledger = new Ledger(!["classic", "own"].includes(options.source));
  try {
    return await live(t, browser, ledger, options);
  } catch (error) {
    error.message += `; the story: ${await ledger.write(browser.name, options.seed)}, its end:\n${ledger.last}`;
    throw error;
  }
}

/** `raven`: what the pages use, RavenDB itself or a gateway in front of it. */
async function live(t, browser, ledger, { seed, kills, lossy, source, raven = ravendb }) {
  const name = await database(t, ravendb);
  const notes = await recorder(t, (note) => ledger.take(note));
  const spare = await database(t, ravendb);
  const setting = { raven, database: name, spare, notes: notes.url, lossy, source };
  const { url, wire, behind } = await site(t, setting);
  const proxy = faults(wire, random(seed, 0), behind, ledger);
  const other = new OtherClient(`${url}/raven`, name, ledger);
  const profile = await mkdtemp(join(tmpdir(), "raven-edge-kills-"));
  after(t, () => rm(profile, { recursive: true, force: true, maxRetries: 5 }));
  const device = new Device({ browser, profile, url, notes, ledger, faults: proxy });
  after(t, () => device.end());
  for (let round = 1; device.killed < kills && ledger.duplicates.length === 0; round++) {
    const plan = planRound(random(seed, round), RESTARTS[browser.name] ?? RESTART);
    ledger.say(`round ${round}: ${JSON.stringify(plan)}`);
    await Promise.all([device.live(plan), plan.other && other.work(plan.other)]);
    proxy.tell();
    await proxy.replay();
  }
  await other.dispose();
  await device.last();
  await device.end();
  proxy.tell();
  return { ledger, wrong: await compare(name, ledger), ...device.counts };
}
