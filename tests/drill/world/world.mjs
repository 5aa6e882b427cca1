// Everything that takes part: RavenDB, the Workers before it, the devices, and the wires between them.
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { browsers } from "../../support/browsers.mjs";
import { after } from "../../support/cleanup.mjs";
import { random } from "../../support/random.mjs";
import { listen } from "../book/recorder.mjs";
import { Device } from "../clients/device.mjs";
import { Chaos } from "./chaos.mjs";
import { Raven } from "./raven.mjs";
import { site } from "./site.mjs";
import { books, faultyWire } from "./wires.mjs";
import { APP, GATEWAY, GATEWAY_AND_HUB, LEASE_HUB, worker } from "./workers.mjs";

/** All clients change one shared document and one counter for so long, in milliseconds. */
const PERIOD = 15_000;

const pkg = fileURLToPath(new URL("../../../pkg", import.meta.url));

/** Which browser a device has, which gateway its page uses, and how many numbers it keeps. */
const DEVICES = [
  { name: "chromium", browser: 0, behind: "gateway", keep: 50 },
  { name: "firefox", browser: 1, behind: "gateway", keep: 8 },
  { name: "webkit", browser: 2, behind: "gatewayAndHub", keep: 50 },
];

/** Starts everything. `minutes`: how long the drill will run. */
export async function world(t, { seed, minutes, recorder }) {
  const folder = await mkdtemp(join(tmpdir(), "raven-edge-drill-"));
  after(t, () => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const raven = new Raven(folder);
  await raven.begin();
  after(t, () => raven.end(true));
  const shared = { period: PERIOD, count: Math.ceil((minutes * 60_000) / PERIOD) + 4 };
  for (let at = 0; at < shared.count; at++) {
    await raven.put(`shared/${at}`, { marks: [], "@metadata": { "@collection": "Shared" } });
    await raven.put(`counts/${at}`, { count: 0, marks: [], "@metadata": { "@collection": "Counts" } });
  }
  const line = await faultyWire(t, raven.url, random(seed, 1), recorder, books(recorder));
  const notes = await listen(t, recorder);
  const hub = await worker(t, LEASE_HUB, line.url);
  const workers = {
    gateway: await worker(t, GATEWAY, line.url),
    gatewayAndHub: await worker(t, GATEWAY_AND_HUB, line.url),
    hub,
    isolateBehindHub: await worker(t, APP, hub.url, { NOTES: notes, WHO: "isolate1" }),
    isolate: await worker(t, APP, line.url, { NOTES: notes, WHO: "isolate2" }),
  };
  const copy = join(folder, "pkg");
  await cp(pkg, copy, { recursive: true });
  const began = Date.now();
  const devices = [];
  const fronts = [];
  for (const [at, { name, browser, behind, keep }] of DEVICES.entries()) {
    if (browsers[browser].missing)
      throw new Error(`the drill needs all browsers: ${browsers[browser].missing}`);
    const setting = { notes, database: raven.database, device: name, keep, shared, began };
    const served = await site(t, { folder: copy, raven: workers[behind].url, setting });
    const front = await faultyWire(t, served.url, random(seed, 10 + at), recorder);
    const dice = random(seed, 20 + at);
    devices.push(await Device.make(t, { name, browser: browsers[browser], site: front, recorder, dice }));
    fronts.push(front);
  }
  const chaos = new Chaos({ raven, line, recorder, dice: random(seed, 2), workers });
  await chaos.begin();
  return {
    raven,
    wires: [line, ...fronts],
    workers,
    devices,
    chaos,
    shared: () => `shared/${Math.floor((Date.now() - began) / PERIOD) % shared.count}`,
  };
}
