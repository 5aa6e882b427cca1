// Pages of three devices queue changes and die; each change that was reported as queued is on the server once.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { browsers } from "../../support/browsers.mjs";
import { after } from "../../support/cleanup.mjs";
import { killContents } from "../../support/kill-pages.mjs";
import { networkFaults } from "../../support/network-faults.mjs";
import { proxy } from "../../support/proxy.mjs";
import { random } from "../../support/random.mjs";
import { whole } from "../../support/request-body.mjs";
import { serve } from "../../support/serve.mjs";
import { database, missing, putDocument, ravendb, send } from "../../support/server.mjs";

const full = process.env.RAVEN_EDGE_FULL === "1";
const seed = Number(process.env.RAVEN_EDGE_SEED || Date.now() % 1_000_000);

/** Number of kills, and the share of each browser: Firefox takes longest to start. */
const ALL = full ? 2_000 : 21;
const SHARES = { Chromium: 0.45, Firefox: 0.2, WebKitGTK: 0.35 };
/** In milliseconds: far more than a run takes. */
const LIMIT = full ? 7_200_000 : 500_000;

const pkg = fileURLToPath(new URL("../../../pkg", import.meta.url));
const COUNTERS = ["counters/0", "counters/1", "counters/2"];
const FAULTS = "delay delay delay drop lose lose cut twice twice later".split(" ");

const page = (setting) => `<!doctype html><meta charset=utf-8><title>queue</title>
<script>
globalThis.setting = ${JSON.stringify(setting)};
globalThis.ready = new Promise((resolve) => { globalThis.begin = resolve; });
</script>
<script type=module src=/queue-page.js></script>`;

/** What pages have reported. */
class Notes {
  begun = new Map();
  queued = new Set();
  failed = [];
  #waiting = [];

  take({ begun, queued, ...rest }) {
    if (begun) this.begun.set(begun, rest);
    if (queued) this.queued.add(queued);
    if (rest.failed) this.failed.push(rest);
    if (queued) this.#waiting = this.#waiting.filter((wake) => !wake());
  }

  /** Resolves after this many further changes were queued. */
  more(count) {
    const wanted = this.queued.size + count;
    return new Promise((resolve) => {
      this.#waiting.push(() => {
        const isEnough = this.queued.size >= wanted;
        if (isEnough) resolve();
        return isEnough;
      });
    });
  }
}

async function world(t) {
  const name = await database(t, ravendb);
  for (const id of COUNTERS)
    await putDocument(ravendb, name, id, { count: 0, marks: [], "@metadata": { "@collection": "Counters" } });
  const folder = await mkdtemp(join(tmpdir(), "raven-edge-pkg-"));
  after(t, () => rm(folder, { recursive: true, force: true }));
  await cp(pkg, folder, { recursive: true });
  const notes = new Notes();
  const script = readFileSync(new URL("queue-page.js", import.meta.url));
  const devices = ["0", "1", "2"];
  const pages = devices.map((device) => [`/${device}`, page({ database: name, device })]);
  const behind = await serve(t, {
    folder,
    pages: Object.fromEntries(pages),
    handlers: {
      "/queue-page.js": (_, response) =>
        response.writeHead(200, { "content-type": "text/javascript" }).end(script),
      "/note": async (request, response) => {
        const body = await whole(request);
        if (body) notes.take(JSON.parse(body));
        response.writeHead(204).end();
      },
    },
    raven: ravendb.url,
  });
  const wire = await proxy(t, behind.url);
  return { name, notes, wire, behind: behind.url, url: wire.url };
}

/** Faults of a quarter of the requests to RavenDB; returns a function that ends them and delivers late copies. */
function faults({ wire, behind }, dice) {
  const late = [];
  const again = ({ method, target, body, headers }) =>
    fetch(behind + target, {
      method,
      body: body || undefined,
      headers: { "content-type": headers["content-type"] ?? "application/json" },
    }).then(
      (response) => response.arrayBuffer(),
      () => {},
    );
  const happen = networkFaults(dice, { longest: 150, again, late });
  wire.rule = (request) => {
    const isBatch = /bulk_docs$/.test(request.path) && /Raven-Edge/.test(request.body);
    const isRead = /\/docs$/.test(request.path);
    return (isBatch || isRead) && dice.chance(0.25) ? happen[dice.pick(FAULTS)](request) : undefined;
  };
  return {
    replay: () => Promise.all(late.splice(0).map(again)),
    end() {
      wire.rule = undefined;
    },
  };
}

/** A device: a profile, and the browser that runs with it. */
class Device {
  #browser;
  #profile;
  #url;
  #running;
  #tab;

  constructor(browser, profile, url) {
    this.#browser = browser;
    this.#profile = profile;
    this.#url = url;
  }

  async page() {
    if (!this.#running) {
      this.#running = await this.#browser.launch({ profile: this.#profile });
      // This tab stays open: Firefox ends with its last tab.
      await this.#running.open("about:blank");
    }
    this.#tab ??= await this.#running.open(this.#url);
    await this.#tab.evaluate(() => globalThis.ready);
    return this.#tab;
  }

  async die(isWhole) {
    const tab = this.#tab;
    this.#tab = undefined;
    if (!isWhole) return killContents(undefined, [tab]);
    const running = this.#running;
    this.#running = undefined;
    await running.kill();
  }

  async end() {
    const running = this.#running;
    this.#running = undefined;
    await running?.close();
  }
}

/** What the server has, compared with what was reported. */
async function judge({ name, notes }) {
  const read = async (id) =>
    (await send(ravendb.url, "GET", `/databases/${name}/docs?id=${encodeURIComponent(id)}`)).text;
  const wrong = [];
  const found = new Map();
  const see = (mark, where) => found.set(`${where} ${mark}`, (found.get(`${where} ${mark}`) ?? 0) + 1);
  for (const id of COUNTERS) {
    const { count, marks } = JSON.parse(await read(id)).Results[0];
    if (count !== marks.length) wrong.push(`${id} counts ${count}, of ${marks.length} marks`);
    for (const mark of marks) see(mark, "counters");
  }
  const items = new Map();
  for (let start = 0; ; start += 500) {
    const path = `/databases/${name}/docs?startsWith=items/&start=${start}&pageSize=500`;
    const { Results } = (await send(ravendb.url, "GET", path)).json;
    for (const item of Results) {
      items.set(item["@metadata"]["@id"], item.marks);
      const attached = (item["@metadata"]["@attachments"] ?? []).map(({ Name, Size }) => `${Name} ${Size}`);
      const wanted = item.marks.filter((mark) => notes.begun.get(mark)?.isAttached);
      if (`${attached}` !== `${wanted.map((mark) => `${mark} ${mark.length}`)}`)
        wrong.push(`${item["@metadata"]["@id"]} has the attachments ${attached}, and not ${wanted}`);
    }
    if (Results.length < 500) break;
  }
  for (const [id, marks] of items) for (const mark of marks) see(mark, id);
  for (const [mark, times] of found) if (times > 1) wrong.push(`${mark} is there ${times} times`);
  const removed = new Set();
  const maybeRemoved = new Set();
  for (const [mark, { kind, id }] of notes.begun)
    if (kind === "remove") (notes.queued.has(mark) ? removed : maybeRemoved).add(id);
  for (const mark of notes.queued) {
    const { kind, id } = notes.begun.get(mark);
    const needs = (where) =>
      found.has(`${where} ${mark}`) || wrong.push(`${mark} was queued, and is not in ${where}`);
    if (kind === "count" || kind === "both") needs("counters");
    if ((kind === "mark" || kind === "both") && !removed.has(id) && !maybeRemoved.has(id)) needs(id);
  }
  for (const id of removed) if (items.has(id)) wrong.push(`${id} was removed, and is there`);
  for (const key of found.keys())
    if (!notes.begun.has(key.split(" ")[1])) wrong.push(`${key} was never begun`);
  return wrong;
}

/** The test in one browser: each browser has a file of its own, because files run at the same time. */
export function queueKills(name) {
  const browser = browsers.find((browser) => browser.name === name);
  const options = { skip: browser.missing || missing(ravendb), timeout: LIMIT };

  test(`each queued change is saved once when pages are killed [${name}]`, options, async (t) => {
    const kills = Number(process.env.RAVEN_EDGE_KILLS || Math.round(ALL * SHARES[name]));
    const dice = random(seed, 7);
    const here = await world(t);
    const { notes } = here;
    const faulty = faults(here, dice);
    const devices = [];
    for (const at of [0, 1, 2]) {
      const profile = await mkdtemp(join(tmpdir(), "raven-edge-queue-"));
      after(t, () => rm(profile, { recursive: true, force: true, maxRetries: 5 }));
      const device = new Device(browser, profile, `${here.url}/${at}`);
      after(t, () => device.end());
      devices.push(device);
    }
    const began = performance.now();
    for (let round = 0; round < kills; round++) {
      // A device works for some rounds: starting browsers takes most of the time.
      const device = devices[Math.floor((round * devices.length) / kills)];
      const tab = await device.page();
      const enough = notes.more(1 + dice.below(12));
      const work = tab.evaluate((...given) => void globalThis.work(...given), `${round}`, 40);
      work.catch(() => {});
      await Promise.race([enough, new Promise((resolve) => setTimeout(resolve, 5_000))]);
      await device.die(dice.chance(0.15));
      await faulty.replay();
    }
    faulty.end();
    for (const device of devices) {
      const tab = await device.page();
      assert.equal(await tab.evaluate(() => globalThis.finish()), "", "nothing is left on the device");
      await device.end();
    }
    await faulty.replay();
    const seconds = Math.round((performance.now() - began) / 1_000);
    t.diagnostic(
      `${name}, seed ${seed}: ${kills} kills, ${notes.begun.size} changes begun, ${notes.queued.size} reported as queued, ` +
        `${notes.failed.length} not queued, ${seconds} s`,
    );
    assert.ok(notes.queued.size > kills, `pages work: ${JSON.stringify(notes.failed.slice(0, 3))}`);
    assert.deepEqual(await judge(here), []);
  });
}
