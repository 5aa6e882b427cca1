// Runs in the pages: executes the plan and records each id, in the task that took it, where the record outlives the
// page.

import { glueOf } from "/gen/raven_edge.js";
import { DocumentStore } from "/lib/entries/web.js";
import { fail } from "./device.js";

const glue = glueOf("main");
const stores = [];
/** Only a name; it does not affect what happens. */
const page = crypto.randomUUID().slice(0, 8);
let count = 0;
let base;

function note(kind, more) {
  const name = `${page}.${++count}`;
  localStorage.setItem(`note ${name}`, JSON.stringify({ kind, name, at: Date.now(), ...more }));
}

const took = (id, how) => id && note("took", { id, how, tag: id.split("/")[0].toLowerCase() });
const failed = (error) => note("failed", { code: error.code ?? error.stack });

function open(at, { options, alone }) {
  const store = new DocumentStore("/raven", base, options);
  store.conventions.disableTopologyUpdates = alone;
  store.initialize();
  store.on("lease", (detail) => note("lease", { detail }));
  store.on("regression", (detail) => note("regression", { detail }));
  store.on("storage", ({ error }) => note("storage", { message: error.message }));
  stores[at] = store;
}

glue.onDeath(() => note("died"));

/** The page enters or leaves the back/forward cache. */
const moves = (event) => dispatchEvent(new PageTransitionEvent(event, { persisted: true }));

const calls = {
  take({ hilo, count }) {
    for (let turn = 0; turn < count; turn++) took(hilo.take(), "take");
  },
  next({ hilo, count }) {
    for (let turn = 0; turn < count; turn++) hilo.next().then((id) => took(id, "next"), failed);
  },
  burst: (step) => calls.next(step),
  reserve: ({ hilo, count }) => void hilo.reserve(count).catch(failed),
  release: ({ store }) => void store.release().catch(failed),
  dispose({ at, store, pause, ...other }) {
    note("dispose", { store: at });
    store.dispose().catch(failed);
    setTimeout(open, pause, at, other);
  },
  blip({ hilo, pause }) {
    note("blip", { pause });
    moves("pagehide");
    if (pause % 2) took(hilo.take(), "away");
    setTimeout(moves, pause, "pageshow");
  },
  freeze({ pause }) {
    note("freeze", { pause });
    document.dispatchEvent(new Event("freeze"));
    setTimeout(() => document.dispatchEvent(new Event("resume")), pause);
  },
  trap() {
    try {
      glue.Generator.prototype.dry.call({ ptr: 0 });
    } catch {
      // The death is reported by `onDeath`.
    }
  },
  status: ({ hilo }) => void hilo.status(),
};

const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));

/** Executes the calls one after the other, whatever their results; much of the work is pending at the end. */
globalThis.work = async (name, { stores: planned, steps }, share, ...seeds) => {
  base = name;
  fail(share, ...seeds);
  for (let at = stores.length; at < planned.length; at++) open(at, planned[at]);
  for (const step of steps) {
    const store = stores[step.at];
    try {
      calls[step.how]({ ...step, store, hilo: store.hilo(step.tag) });
    } catch (error) {
      failed(error);
    }
    if (step.wait !== undefined) await sleep(step.wait);
  }
};

/** Waits until every store has issued an id of each tag; pending work may still cause errors. */
globalThis.live = async () => {
  fail(0);
  moves("pageshow");
  const lives = async (at, tag) => {
    for (;;) {
      try {
        return took(await stores[at].hilo(tag).next(), "live");
      } catch (error) {
        failed(error);
        await sleep(20);
      }
    }
  };
  await Promise.all(stores.keys().flatMap((at) => [lives(at, "orders"), lives(at, "lines")]));
};

/** The records, including those of closed pages. */
globalThis.drain = () => {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith("note "));
  const notes = keys.map((key) => JSON.parse(localStorage.getItem(key)));
  for (const key of keys) localStorage.removeItem(key);
  return notes;
};

globalThis.loaded = true;
