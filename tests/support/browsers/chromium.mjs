// Chromium through its DevTools protocol, without a wrapper: the back/forward cache and closing behave as for users.
import { connect, source, value } from "./calls.mjs";
import { find, Program, profileFolder } from "./program.mjs";

export const path = find("CHROMIUM", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
/** The same engine without a window, as Playwright runs it by itself: it takes less of a processor. */
export const shell = find("CHROMIUM_SHELL", "chromium-headless-shell") || path;

/** The pages of the address bar, which nobody sees here: with them each new window takes half a second more of a processor. */
const ADDRESS_BAR = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"];

/** Settings for tests, without anything that uses the network. */
const flags = (unused) => [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Pages of this site, over plain http, are no secure contexts; those of 127.0.0.1 are.
  "--host-resolver-rules=MAP app.test 127.0.0.1",
  `--disable-features=${unused}`,
];

const FLAGS = flags(ADDRESS_BAR);

/** For Playwright, whose own list of unused features this one replaces: all of them are here again. */
export const PLAYWRIGHT_FLAGS = flags([
  ...ADDRESS_BAR,
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
]);

export const name = "Chromium";
export const missing = !path && "no Chromium";

export async function launch({ profile } = {}) {
  const { folder, remove } = await profileFolder(profile);
  const { program, url } = await start(folder);
  const calls = await connect(url);
  const { product } = await calls.call("Browser.getVersion");
  // The tab that it starts with is used first: with an additional tab, closing "the last one" could not be tested.
  let [first] = await pages(calls);
  return {
    version: product,
    async open(url) {
      const targetId = first ?? (await calls.call("Target.createTarget", { url: "about:blank" })).targetId;
      first = undefined;
      const { sessionId } = await calls.call("Target.attachToTarget", { targetId, flatten: true });
      const tab = new Tab(calls, targetId, sessionId);
      await tab.call("Page.enable");
      await tab.call("Inspector.enable");
      await tab.goto(url);
      return tab;
    },
    async close() {
      // The protocol's command alone would not notify pages of their end.
      for (const targetId of await pages(calls)) await calls.call("Target.closeTarget", { targetId });
      await calls.call("Browser.close");
      await program.end();
      await remove();
    },
    async kill() {
      await program.kill();
      await remove();
    },
  };
}

/**
 * Debian's Chromium sometimes crashes while it starts with the profile of a killed one, before there is a page. A
 * user would start it again; this does so up to twice, and prints it.
 */
async function start(folder, again = 2) {
  const program = new Program(path, [
    ...FLAGS,
    "--headless",
    "--disable-breakpad",
    "--remote-debugging-port=0",
    `--user-data-dir=${folder}`,
  ]);
  try {
    const [, url] = await program.printed(/DevTools listening on (ws:\S+)/);
    return { program, url };
  } catch (error) {
    if (again === 0 || !error.crashed) throw error;
    console.error(`warning: Chromium crashed before it was ready, and is started again: ${error.message}`);
    return start(folder, again - 1);
  }
}

/** The open tabs. */
async function pages(calls) {
  const { targetInfos } = await calls.call("Target.getTargets");
  return targetInfos.filter(({ type }) => type === "page").map(({ targetId }) => targetId);
}

class Tab {
  #calls;
  #target;
  #session;

  constructor(calls, target, session) {
    this.#calls = calls;
    this.#target = target;
    this.#session = session;
  }

  call(method, params) {
    return this.#calls.call(method, params, { sessionId: this.#session });
  }

  goto(url) {
    return this.#shown(async () => {
      const { errorText } = await this.call("Page.navigate", { url });
      if (errorText !== undefined) throw new Error(`${url}: ${errorText}`);
    });
  }

  reload() {
    return this.#shown(() => this.call("Page.reload"));
  }

  show() {
    return this.call("Page.bringToFront");
  }

  back() {
    return this.#travel(-1);
  }

  forward() {
    return this.#travel(1);
  }

  async evaluate(f, ...values) {
    const { result, exceptionDetails } = await this.call("Runtime.evaluate", {
      expression: source(f, values),
      awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(result.description ?? String(result.value));
    return value(result.value);
  }

  async close() {
    const closed = this.#calls.event(
      ({ method, params }) => method === "Target.detachedFromTarget" && params.sessionId === this.#session,
      "the end of the tab",
    );
    await Promise.all([closed, this.#calls.call("Target.closeTarget", { targetId: this.#target })]);
  }

  async killRenderer() {
    const crashed = this.#event((method) => method === "Inspector.targetCrashed", "the renderer's death");
    // The process dies at once with all pages in it; the call itself never gets a response.
    this.call("Page.crash").catch(() => {});
    await crashed;
  }

  async #travel(step) {
    const { currentIndex, entries } = await this.call("Page.getNavigationHistory");
    const entryId = entries[currentIndex + step].id;
    await this.#shown(() => this.call("Page.navigateToHistoryEntry", { entryId }));
  }

  /** Runs the action and waits until a page is shown: loaded, or restored from the back/forward cache. */
  async #shown(action) {
    const shown = this.#event(
      (method, { type, frame }) =>
        method === "Page.loadEventFired" ||
        (method === "Page.frameNavigated" && type === "BackForwardCacheRestore" && !frame.parentId),
      "a page",
    );
    await Promise.all([shown, action()]);
  }

  #event(fits, what) {
    const session = this.#session;
    return this.#calls.event(
      ({ sessionId, method, params }) => sessionId === session && fits(method, params),
      what,
    );
  }
}
