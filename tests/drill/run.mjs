// The fault drill: everything at once, for some minutes; then the books are balanced. `cargo xtask drill` starts it.
//
//   RAVENDB_START=… node tests/drill/run.mjs [--minutes 10] [--seed N] [--out FOLDER]
//
// RAVENDB_START: a command that starts RavenDB in the foreground and takes `--port N -- FLAGS`.
import { createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { random } from "../support/random.mjs";
import { balance } from "./book/balance.mjs";
import { isAttachment } from "./book/marks.mjs";
import { Recorder } from "./book/recorder.mjs";
import { content } from "./clients/actions.js";
import { callWorker, nodeClient } from "./clients/driver.mjs";
import { picture } from "./report/picture.mjs";
import { report } from "./report/report.mjs";
import { inventory } from "./world/chaos.mjs";
import { world } from "./world/world.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    out: { type: "string", default: "target/drill" },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const ends = [];
const t = { after: (end) => ends.push(end) };
mkdirSync(values.out, { recursive: true });
const file = (name) => join(values.out, name);
const log = createWriteStream(file("drill.log"));
const recorder = new Recorder((line) => log.write(`${line}\n`));
// The first Ctrl-C ends the faults, and the books are balanced.
let isInterrupted = false;
process.on("SIGINT", () => {
  if (isInterrupted) process.exit(130);
  isInterrupted = true;
});
process.on("SIGTERM", () => process.exit(143));

/** Lets everything happen until the time is over. */
async function storm({ workers, wires, devices, chaos, shared }) {
  recorder.start();
  const end = minutes * 60_000;
  const isOver = () => isInterrupted || recorder.now > end;
  const [line] = wires;
  const tidy = setInterval(() => {
    for (const wire of wires) wire.forget();
  }, 1_000);
  const told = setInterval(() => {
    const figure = (name) => recorder.counts.get(`operation ${name}`) ?? 0;
    console.log(
      `${Math.round(recorder.now / 1_000)} s: ${figure("id")} ids, ${figure("saved")} saved, ${figure("queued")} queued`,
    );
  }, 15_000);
  const given = { shared, isOver, recorder };
  const dice = (at) => random(seed, 30 + at);
  try {
    await Promise.all([
      chaos.run(isOver),
      ...devices.map((device) => device.live(isOver)),
      callWorker({ ...given, worker: workers.isolateBehindHub, dice: dice(1) }),
      callWorker({ ...given, worker: workers.isolate, dice: dice(2) }),
      nodeClient({ ...given, url: line.url, who: "node1", dice: dice(3) }),
      nodeClient({ ...given, url: workers.hub.url, who: "node2", dice: dice(4) }),
    ]);
  } finally {
    clearInterval(tidy);
    clearInterval(told);
  }
}

/** Without faults each device sends what it has; returns what is left. */
async function calm({ wires, devices }) {
  for (const wire of wires) {
    wire.share = 0;
    wire.isClosed = false;
  }
  const left = await Promise.all(
    devices.map(async (device) => {
      const text = await device.finish().catch((error) => `… its end could not be reached: ${error.message}`);
      await device.close();
      return { who: device.name, text };
    }),
  );
  // Copies that come long after everything else.
  for (const wire of wires) await wire.replay();
  await pause(500);
  return left.filter(({ text }) => text);
}

async function contents(raven, found) {
  const wrong = [];
  const all = [...found].filter(([mark]) => isAttachment(mark));
  while (all.length > 0)
    await Promise.all(
      all.splice(0, 16).map(async ([mark, [id]]) => {
        if ((await raven.content(id, mark)) !== content(mark)) wrong.push(mark);
      }),
    );
  return wrong;
}

console.log(`drill: ${minutes} minutes, seed ${seed}`);
let failed = true;
try {
  const started = new Date();
  const here = await world(t, { seed, minutes, recorder });
  await storm(here);
  recorder.say("calm");
  const left = await calm(here);
  const { found, counters } = await inventory(here.raven);
  const story = { ...recorder, found, counters, left, contents: await contents(here.raven, found) };
  const wrong = balance(story);
  writeFileSync(file("drill.svg"), picture({ recorder, minutes, seed }));
  const text = report({ story, wrong, minutes, seed, started });
  writeFileSync(file("drill.md"), text);
  console.log(text);
  failed = Object.values(wrong).some((list) => list.length > 0);
} finally {
  for (const end of ends.reverse()) await end().catch?.((error) => console.error(error));
}
process.exit(failed ? 1 : 0);
