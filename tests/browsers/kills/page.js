// Runs in the pages: takes ids as instructed and records each one synchronously, in the task that took it.
import { DocumentStore } from "/lib/entries/web.js";

const { notes, database, spare, collections, source } = globalThis.setting;
const page = Math.random().toString(36).slice(2);
const stores = [];
let count = 0;
let noting = false;

/** Reports to the test's own server. A page that is killed during a report has reported nothing and used nothing. */
function note(kind, more) {
  const request = new XMLHttpRequest();
  request.open("POST", notes, false);
  noting = true;
  try {
    request.send(JSON.stringify({ kind, name: `${page}.${++count}`, ...more }));
  } finally {
    noting = false;
  }
}

// Firefox runs other tasks during a synchronous request. A page that enters the back/forward cache meanwhile never
// has timers again.
addEventListener("pagehide", () => {
  globalThis.stuck = noting;
});

/** The classic formula with counters of this site: one per tag and scope. */
const classic = (scope) => ({
  kind: "classic",
  scope,
  capacity: 16,
  next: async (tag) => (await fetch(`/hi?of=${encodeURIComponent(`${scope} ${tag}`)}`)).json(),
});

/** Ranges that this site grants and takes back. */
const own = (scope) => {
  const ask = async (path, words) =>
    (await fetch(path, { method: "POST", body: JSON.stringify({ ...words, scope }) })).json();
  return {
    scope,
    lease: (tag, size, above) => ask("/range", { tag, size, above }),
    release: ({ tag, low, high }) => ask("/release", { tag, low, high, call: Math.random() }),
  };
};

function open(at, { keep }, name = database) {
  const store = new DocumentStore("/raven", name, {
    keep: keep === undefined ? undefined : Number(keep),
    timeout: 2_500,
    source: source === "classic" ? classic(name) : source === "own" ? own(name) : source,
  });
  store.conventions.disableTopologyUpdates = true;
  store.initialize();
  store.on("regression", (detail) => note("regression", { detail }));
  store.on("storage", ({ error }) => note("storage", { message: error.message }));
  stores[at] = store;
  return store;
}

const steps = {
  async next({ store, tag, count, took }) {
    for (let turn = 0; turn < count; turn++) took(await store.hilo(tag).next());
  },

  async burst({ store, tag, count, took }) {
    const ids = Array.from({ length: count }, () => store.hilo(tag).next());
    const outcomes = await Promise.allSettled(ids.map((id) => id.then(took)));
    for (const { reason } of outcomes) if (reason) throw reason;
  },

  take({ store, tag, count, took }) {
    for (let turn = 0; turn < count; turn++) {
      const id = store.hilo(tag).take();
      if (id !== undefined) took(id);
    }
  },

  async save({ store, tag, count, took }) {
    const session = store.openSession();
    const documents = [];
    for (let turn = 0; turn < count; turn++) {
      const document = { mark: `${page}/${Math.random()}`, "@metadata": { "@collection": collections[tag] } };
      await session.store(document);
      took(document.id, document.mark);
      documents.push(document);
    }
    const saved = documents.map(({ id, mark }) => ({ id, mark }));
    try {
      await session.saveChanges();
    } catch (error) {
      if (error.code === "Concurrency") note("concurrency", { saved, id: error.id, message: error.message });
      throw error;
    }
    note("saved", { saved });
  },

  reserve: ({ store, tag, count }) => store.hilo(tag).reserve(count),
  release: ({ store }) => store.release(),

  async dispose({ store }) {
    stores[stores.indexOf(store)] = undefined;
    await store.dispose();
  },
};

/** Executes lanes of steps in parallel, and records the end. */
globalThis.work = async (work, options, lanes) => {
  const errors = [];
  const run = async (lane) => {
    for (const step of lane) {
      const { how, store: at, tag } = step;
      const store = stores[at] ?? open(at, options[at]);
      const took = (id, mark) => note("took", { id, mark, how, tag, store: at, keep: options[at].keep });
      try {
        await steps[how]({ ...step, store, took });
      } catch (error) {
        errors.push(error.code ?? String(error));
      }
    }
  };
  await Promise.all(lanes.map(run));
  note("done", { work, errors });
};

/** What the device stores about a database: the texts in IndexedDB, one per tag. */
const records = (database) =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open("raven-edge");
    // Creating the database is left to the package.
    request.onupgradeneeded = () => request.transaction.abort();
    request.onerror = () => (request.error.name === "AbortError" ? resolve([]) : reject(request.error));
    request.onsuccess = () => {
      const db = request.result;
      const reading = db.transaction("ranges");
      const ranges = reading.objectStore("ranges");
      const [keys, texts] = [ranges.getAllKeys(), ranges.getAll()];
      reading.onabort = () => reject(reading.error);
      reading.oncomplete = () => {
        db.close();
        // Besides records the store contains the databases' incarnations, under keys with fewer parts.
        const ours = (key) => JSON.parse(key).length > 3 && JSON.parse(key)[2] === database;
        resolve(texts.result.filter((_, at) => ours(keys.result[at])));
      };
    };
  });

/** How many of the work's numbers the device stores. */
globalThis.parked = async () =>
  (await records(database))
    .flatMap((text) => JSON.parse(text).parked)
    .reduce((sum, [low, high]) => sum + high - low + 1, 0);

/** The spare numbers on the device, as ranges of lowest and highest number. */
globalThis.spares = async () => (await records(spare)).flatMap((text) => JSON.parse(text).parked);

/** Takes a spare number, preferably one that has survived the browser, and parks more of them. */
globalThis.stock = async (count) => {
  const hilo = open(0, { keep: "Infinity" }, spare).hilo("spares");
  note("took", { id: await hilo.next(), how: "next", tag: "spares" });
  await hilo.reserve(count);
};

/** Makes sure that numbers are parked, whatever the stores keep. */
globalThis.fill = async (count) => {
  const store = stores.find((store) => store) ?? open(0, {});
  await store.hilo("orders").reserve(count);
};

// WebKit reports a page as loaded before its modules have run.
globalThis.begin();
