// Two sets on a device that is changed behind its back in random rounds: documents of three users that change, are deleted, change their
// owner; phases without a connection, pages that are killed. After each round the sets equal what the user may see. 20 rounds with 500
// documents in Chromium; with `--full` 200 with 10,000, in Firefox, too. `SEED=…` repeats a run, `ROUNDS=…` shortens it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { browsers } from "../support/browsers.mjs";
import { note } from "../support/callers.mjs";
import { after } from "../support/cleanup.mjs";
import { gateway } from "../support/gateway.mjs";
import { PAGE } from "../support/offline.mjs";
import { pkg } from "../support/pages.mjs";
import { random } from "../support/random.mjs";
import { serve } from "../support/serve.mjs";
import { missing, ravendb, send } from "../support/server.mjs";

const IS_FULL = process.env.RAVEN_EDGE_FULL === "1";
const [ALL, COUNT] = IS_FULL ? [200, 10_000] : [20, 500];
const ROUNDS = Number(process.env.ROUNDS ?? ALL);
/** Another one in each run with `--full`. */
const SEED = Number(process.env.SEED ?? (IS_FULL ? Date.now() % 1_000_000 : 1));
const [CHROMIUM, FIREFOX] = browsers;
/** Documents of a request to the server, and of a round in which many change. */
const BULK = 1_000;
/** Comparisons until a set is complete that nobody changes any more. */
const TURNS = 3;

const USERS = ["ann", "bob", "eve"];
const SETS = {
  all: { collection: "Notes" },
  open: { named: "open", parameters: { status: "open" }, collection: "Notes" },
};
const FITS = {
  all: ({ owner }) => owner === "ann",
  open: ({ owner, status }) => owner === "ann" && status === "open",
};

const CONFIGURATION = {
  // Not through the proxy, which keeps all responses.
  upstream: ravendb?.url,
  claims: ["name"],
  collections: { Notes: { allow: "write", rows: { owner: "$name" } } },
  queries: {
    open: {
      query: "from Notes where status = $status",
      parameters: { status: { type: "string" } },
      set: true,
      wait: 15_000,
    },
  },
  sets: { all: { collection: "Notes" } },
};

/** Defines what the rounds do in a page. */
function begin(name, sets) {
  const { open, queue } = globalThis;
  const store = open(name, { user: "ann", automatic: false, sets }, { timeout: 60_000 });
  const compared = (name) => {
    const set = store.offline.set(name);
    return set.sync().then(
      () => ({ isComplete: set.isComplete }),
      ({ code, message }) => ({ code, message }),
    );
  };
  Object.assign(globalThis, {
    syncAll: (names) => Promise.all(names.map(compared)),
    versions: async (name) => {
      const documents = await store.offline.set(name).documents();
      return Object.fromEntries(
        documents.map(({ "@metadata": meta }) => [meta["@id"], meta["@change-vector"]]),
      );
    },
    queueNote: async (id) => {
      await queue(store, { owner: "ann", status: "open", "@metadata": { "@collection": "Notes" } }, id);
    },
    flush: () => store.offline.flush(),
  });
}

const syncAll = (page, names) => page.evaluate((names) => globalThis.syncAll(names), names);

/** Carries out commands of a save on the server. */
async function save(base, commands) {
  for (let from = 0; from < commands.length; from += BULK) {
    const Commands = commands.slice(from, from + BULK);
    const { status, text } = await send(ravendb.url, "POST", `/databases/${base}/bulk_docs`, { Commands });
    assert.equal(status, 201, text);
  }
}

const put = (Id, Document) => ({ Type: "PUT", Id, ChangeVector: null, Document });
const remove = (Id) => ({ Type: "DELETE", Id, ChangeVector: null });

for (const browser of [CHROMIUM, FIREFOX].slice(0, IS_FULL ? 2 : 1))
  test(`a set equals what its user may see after each of ${ROUNDS} rounds of changes, in ${browser.name}`, {
    skip: browser.missing || missing(ravendb),
    timeout: IS_FULL ? 2 * 3_600_000 : 240_000,
  }, async (t) => {
    console.log(`${browser.name}: SEED=${SEED} ROUNDS=${ROUNDS}, ${COUNT} documents`);
    const { url, base } = await gateway(t, {
      options: CONFIGURATION,
      functions: 'authorize: () => ({ name: "ann" })',
    });
    const gate = { open: true, seen: () => {} };
    const site = await serve(t, {
      folder: pkg,
      pages: { "/": PAGE.replaceAll("/dist/", "/lib/") },
      raven: url,
      refuse: (request) => {
        if (!request.url.startsWith("/raven")) return false;
        gate.seen();
        return !gate.open;
      },
    });
    const program = await browser.launch();
    after(t, () => program.close());
    // Without another tab a browser may end with the one that is killed.
    await program.open("about:blank");
    let page;
    const load = async () => {
      page ??= await program.open("about:blank");
      await page.goto(site.url);
      await page.evaluate(begin, base, SETS);
    };
    /** Where the time goes, in milliseconds. */
    const times = {};
    const timed = async (what, work) => {
      const began = performance.now();
      const result = await work();
      times[what] = (times[what] ?? 0) + performance.now() - began;
      return result;
    };

    const { below, chance, pick, some } = random(SEED);
    const made = (at) => note(pick(USERS), { at, status: pick(["open", "done"]) });
    await timed("documents", () =>
      save(
        base,
        some(COUNT, (_, at) => put(`notes/${at}`, made(at))),
      ),
    );
    await load();
    /** Others change some documents, or many of them; some get another owner, some are new. */
    const change = (round) =>
      timed("changes", () => {
        const changed = below(chance(0.05) ? COUNT / 10 : 20);
        return save(base, [
          ...some(changed, () => put(`notes/${below(COUNT + 50)}`, made(round))),
          ...some(below(5), () => remove(`notes/${below(COUNT)}`)),
        ]);
      });
    const queued = [];
    /** The user works without a connection. */
    const offline = async (round) => {
      gate.open = false;
      await load();
      const id = `notes/queued-${round}`;
      await page.evaluate((id) => globalThis.queueNote(id), id);
      queued.push(id);
      await change(round);
      gate.open = true;
      assert.equal(await page.evaluate(() => globalThis.flush()), true);
    };
    /** The page dies in the middle of a comparison, after so many requests at most. */
    const killed = async (running, requests) => {
      let left = requests;
      const seen = new Promise((resolve) => {
        gate.seen = () => --left === 0 && resolve();
      });
      await Promise.race([seen, running]);
      await page.killRenderer();
      page = undefined;
      await load();
    };
    const names = Object.keys(SETS);
    for (let round = 0; round < ROUNDS; round++) {
      const where = `seed ${SEED}, round ${round}`;
      await change(round);
      if (chance(0.2)) await timed("offline", () => offline(round));
      if (chance(0.2))
        await timed("kills", () =>
          killed(
            syncAll(page, names).catch(() => {}),
            1 + below(4),
          ),
        );
      else if (chance(0.3)) {
        const running = timed("overlapping comparisons", () => syncAll(page, names));
        await Promise.all([running, change(round)]);
      }
      let open = [{}];
      for (let turn = 0; turn < TURNS && open.length > 0; turn++) {
        const seen = await timed("comparisons", () => syncAll(page, names));
        open = seen.filter(({ isComplete }) => !isComplete);
      }
      assert.deepEqual(open, [], where);
      await timed("checks", async () => {
        const { json } = await send(ravendb.url, "POST", `/databases/${base}/queries`, {
          Query: "from Notes",
        });
        assert.ok(json.Results.length > COUNT / 2, `${where}: ${json.Results.length} documents`);
        for (const name of names) {
          const expected = json.Results.filter(FITS[name]).map(({ "@metadata": meta }) => [
            meta["@id"],
            meta["@change-vector"],
          ]);
          const shown = await page.evaluate((name) => globalThis.versions(name), name);
          assert.deepEqual(shown, Object.fromEntries(expected), `${where}: ${name}`);
        }
      });
      if (IS_FULL && round % 10 === 9) console.log(report(browser, round + 1, times));
    }
    assert.equal(await page.evaluate(() => globalThis.flush()), true);
    const Ids = queued.map((id) => `id=${encodeURIComponent(id)}`).join("&");
    if (Ids) {
      const { json } = await send(ravendb.url, "GET", `/databases/${base}/docs?${Ids}&metadataOnly=true`);
      assert.ok(json.Results.every(Boolean), "no queued document is lost");
    }
    console.log(report(browser, ROUNDS, times));
  });

/** Seconds of each round, by what they were for. */
function report({ name }, rounds, times) {
  const parts = Object.entries(times).map(
    ([what, millis]) => `${what} ${(millis / rounds / 1_000).toFixed(2)}`,
  );
  return `${name}: ${rounds} rounds; seconds of each: ${parts.join(", ")}`;
}
