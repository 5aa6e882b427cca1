// Pages of Chromium that follow sets, through a gateway before the real RavenDB.
import assert from "node:assert/strict";
import { after as afterAll } from "node:test";
import { bulk } from "./callers.mjs";
import { missingChromium, profile } from "./chromium.mjs";
import { after } from "./cleanup.mjs";
import { gateway, gatewayOf, SECRET } from "./gateway.mjs";
import { PAGE } from "./offline.mjs";
import { pkg } from "./pages.mjs";
import { proxy } from "./proxy.mjs";
import { serve } from "./serve.mjs";
import { database, missing, ravendb, send } from "./server.mjs";

/** The options of tests. */
export const options = { skip: missingChromium || missing(ravendb), timeout: 120_000 };

export const SETS = {
  all: { collection: "Notes" },
  open: { named: "open", parameters: { status: "open" }, collection: "Notes" },
};

export const CONFIGURATION = {
  claims: ["name"],
  collections: { Notes: { allow: "write", rows: { owner: "$name" } } },
  queries: {
    open: {
      query: "from Notes where status = $status",
      parameters: { status: { type: "string" } },
      set: true,
      wait: 15_000,
    },
    ordered: {
      query: "from Notes where status = $status order by at as long desc",
      parameters: { status: { type: "string" } },
      set: true,
      wait: 15_000,
    },
  },
  sets: { all: { collection: "Notes" } },
};

export const AUTHORIZE = `authorize: (request) => {
  const name = request.headers.get("x-user");
  return name ? { name } : null;
}`;

/** A page that loads the package as apps do. */
export const IN_FEW_FILES = PAGE.replaceAll("/dist/", "/lib/");

/** What pages do with a set. */
const SCRIPT = ([name, given]) => {
  const { user = "ann", upgrade, ...more } = given;
  globalThis.store = open(
    name,
    // A function arrives as its text.
    { user, automatic: false, ...more, ...(upgrade && { upgrade: new Function(`return ${upgrade}`)() }) },
    { headers: () => ({ "x-user": globalThis.signedIn ?? user }) },
  );
  globalThis.told = [];
  const followed = new Set();
  globalThis.follow = (name) => {
    const set = store.offline.set(name);
    if (followed.has(set)) return set;
    followed.add(set);
    for (const event of ["change", "synced", "error"]) set.on(event, (detail) => told.push([event, detail]));
    return set;
  };
  globalThis.ids = (documents) => documents.map(({ "@metadata": { "@id": id } }) => id).sort();
  /** The documents of a set with their vectors. */
  globalThis.versions = async (set) =>
    Object.fromEntries(
      (await store.offline.set(set).documents()).map(({ "@metadata": meta }) => [
        meta["@id"],
        meta["@change-vector"],
      ]),
    );
  /** All texts of documents on the device. */
  globalThis.onDevice = async () => {
    const db = await new Promise((resolve, reject) => {
      const request = indexedDB.open("raven-edge-offline");
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    const texts = await new Promise((resolve) => {
      const request = db.transaction("keptTexts").objectStore("keptTexts").getAll();
      request.onsuccess = () => resolve(request.result);
    });
    db.close();
    return texts;
  };
};

const shared = [];
afterAll(async () => {
  for (const end of shared.toReversed()) await end();
});
let worker;
let base;

/** One Worker for the tests of a file: it has a gateway for each of their databases. */
async function gateways() {
  const t = { after: (end) => shared.push(end) };
  const wire = await proxy(t, ravendb.url);
  const config = { upstream: wire.url, secret: SECRET, log: "error", ...CONFIGURATION };
  const { url } = await gatewayOf(
    t,
    `
    import gateway from "raven-edge/gateway";
    const known = new Map();
    export default {
      fetch(request, env) {
        const database = decodeURIComponent(/^\\/databases\\/([^/]+)/.exec(new URL(request.url).pathname)?.[1] ?? "none");
        if (!known.has(database)) known.set(database, gateway({ ...${JSON.stringify(config)}, database, ${AUTHORIZE} }));
        return known.get(database).fetch(request, env);
      },
    };`,
  );
  return { url, wire };
}

/** The database of a file's tests, which each of them leaves empty: to create and delete one takes seconds. */
async function emptied(t) {
  base ??= database({ after: (end) => shared.push(end) }, ravendb);
  const name = await base;
  after(t, async () => {
    const path = `/databases/${name}`;
    const { json } = await send(ravendb.url, "POST", `${path}/queries?metadataOnly=true`, {
      Query: "from @all_docs",
    });
    const Commands = json.Results.map(({ "@metadata": { "@id": Id } }) => ({
      Type: "DELETE",
      Id,
      ChangeVector: null,
    }));
    await send(ravendb.url, "POST", `${path}/bulk_docs`, { Commands });
  });
  return name;
}

/** A database, the gateway before it, and a site with pages; `options`: further ones of the gateway. */
export async function opened(t, { options } = {}) {
  let made;
  if (options) {
    made = await gateway(t, { options: { ...CONFIGURATION, ...options }, functions: AUTHORIZE });
  } else {
    worker ??= gateways();
    made = { ...(await worker), base: await emptied(t) };
  }
  const gate = { open: true };
  const site = await serve(t, {
    folder: pkg,
    pages: { "/": IN_FEW_FILES },
    raven: made.url,
    refuse: ({ url }) => !gate.open && url.startsWith("/raven"),
  });
  const { problems, open, context } = await profile(t);
  const tab = async (given = { sets: SETS }) => {
    const page = await open(site.url);
    await page.waitForFunction(() => globalThis.loaded);
    await page.evaluate(SCRIPT, [made.base, given]);
    return page;
  };
  const load = async (page, given = { sets: SETS }) => {
    await page.goto(site.url);
    await page.waitForFunction(() => globalThis.loaded);
    await page.evaluate(SCRIPT, [made.base, given]);
  };
  /** The versions that the server has, of what `fits`. */
  const expected = async (fits) => {
    const { json } = await send(ravendb.url, "POST", `/databases/${made.base}/queries`, {
      Query: "from Notes",
    });
    return Object.fromEntries(
      json.Results.filter(fits).map(({ "@metadata": meta }) => [meta["@id"], meta["@change-vector"]]),
    );
  };
  return { ...made, gate, site, tab, load, problems, context, expected };
}

/** A page that has the set `all` of these documents; `given`: its options. */
export async function followed(t, documents, { given, isSynced = true, ...options } = {}) {
  const made = await opened(t, options);
  await bulk(ravendb, made.base, documents);
  const page = await made.tab(given);
  if (isSynced) assert.equal((await sync(page, "all")).isComplete, true);
  return { ...made, page };
}

export const isAnns = ({ owner }) => owner === "ann";
export const isOpen = (one) => isAnns(one) && one.status === "open";

export const notes = (count, make) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`notes/${at}`, make(at)]));

export const deleted = (base, id) =>
  send(ravendb.url, "DELETE", `/databases/${base}/docs?id=${encodeURIComponent(id)}`);

export const sync = (page, set) =>
  page.evaluate(
    (set) =>
      follow(set)
        .sync()
        .then(
          () => {
            const { isComplete, syncedAt, progress } = store.offline.set(set);
            return { isComplete, syncedAt: syncedAt?.getTime() ?? null, progress };
          },
          ({ code, message }) => ({ code, message }),
        ),
    set,
  );
export const versions = (page, set) => page.evaluate((set) => versions(set), set);
