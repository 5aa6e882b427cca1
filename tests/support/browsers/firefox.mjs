// Firefox through WebDriver BiDi, which it supports itself: no geckodriver.
import { realpathSync, statSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { root } from "../root.mjs";
import { connect, source, value } from "./calls.mjs";
import { find, Program, profileFolder } from "./program.mjs";

const path = find("FIREFOX", "firefox-esr", "firefox");

/** Settings: nothing uses the network, and no tab is restored after a kill. */
const SETTINGS = {
  "app.normandy.enabled": false,
  "browser.aboutwelcome.enabled": false,
  "browser.newtabpage.enabled": false,
  "browser.sessionstore.resume_from_crash": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.page": 0,
  "datareporting.policy.dataSubmissionEnabled": false,
  "extensions.getAddons.cache.enabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "services.settings.server": "data:,#no-remote-settings",
  "toolkit.startup.max_resumed_crashes": -1,
};

export const name = "Firefox";
export const missing = !path && "no Firefox";

/** What a used profile has that belongs to the process that used it. */
const LOCKS = ["lock", ".parentlock"];

export async function launch({ profile } = {}) {
  const { folder, remove } = await profileFolder(profile);
  if ((await readdir(folder)).length === 0) await cp(await usedProfile(), folder, { recursive: true });
  return start(folder, remove);
}

/**
 * A folder with a profile that Firefox has been started and ended with once, and that has shown no page. The first start with an empty folder
 * compiles the browser's own scripts and creates its databases, which takes 1.6 of 3.7 CPU seconds; with a copy of this folder it does not.
 * Test files share it, as long as the program is the same.
 */
async function usedProfile() {
  const program = realpathSync(path);
  const folder = join(root, `target/xtask/firefox-profile-${Math.floor(statSync(program).mtimeMs)}`);
  const isThere = () => statSync(folder, { throwIfNoEntry: false }) !== undefined;
  if (isThere()) return folder;
  await mkdir(dirname(folder), { recursive: true });
  const fresh = await mkdtemp(`${folder}-`);
  const browser = await start(fresh, async () => {});
  await browser.close();
  for (const name of LOCKS) await rm(join(fresh, name), { force: true });
  try {
    await rename(fresh, folder);
  } catch (error) {
    // Another test file was first.
    await rm(fresh, { recursive: true, force: true });
    if (!isThere()) throw error;
  }
  return folder;
}

async function start(folder, remove) {
  const settings = Object.entries(SETTINGS).map(
    ([key, set]) => `user_pref(${JSON.stringify(key)}, ${JSON.stringify(set)});\n`,
  );
  await writeFile(join(folder, "user.js"), settings.join(""));
  const program = new Program(path, [
    "--headless",
    "--no-remote",
    "--profile",
    folder,
    "--remote-debugging-port=0",
    // Only chrome code can tell which process runs a page.
    "--remote-allow-system-access",
  ]);
  const [, url] = await program.printed(/WebDriver BiDi listening on (ws:\S+)/);
  const calls = await connect(`${url}/session`);
  const { capabilities } = await calls.call("session.new", { capabilities: {} });
  const { contexts } = await calls.call("browsingContext.getTree");
  // The tab that it starts with is used first: with an additional tab, closing "the last one" could not be tested.
  let first = contexts[0].context;
  return {
    version: `Firefox/${capabilities.browserVersion}`,
    async open(url) {
      const context = first ?? (await calls.call("browsingContext.create", { type: "tab" })).context;
      first = undefined;
      const tab = new Tab(calls, context);
      await tab.goto(url);
      return tab;
    },
    async close() {
      await calls.call("browser.close");
      await program.end();
      await remove();
    },
    async kill() {
      await program.kill();
      await remove();
    },
  };
}

class Tab {
  #calls;
  #context;

  constructor(calls, context) {
    this.#calls = calls;
    this.#context = context;
  }

  goto(url) {
    return this.#call("browsingContext.navigate", { url, wait: "complete" });
  }

  reload() {
    return this.#call("browsingContext.reload", { wait: "complete" });
  }

  show() {
    return this.#call("browsingContext.activate", {});
  }

  back() {
    return this.#travel(-1);
  }

  forward() {
    return this.#travel(1);
  }

  evaluate(f, ...values) {
    return evaluate(this.#calls, this.#context, source(f, values));
  }

  close() {
    return this.#call("browsingContext.close");
  }

  async killRenderer() {
    const { contexts } = await this.#calls.call("browsingContext.getTree", { "moz:scope": "chrome" });
    await evaluate(this.#calls, contexts[0].context, source(killProcess, [this.#context]));
  }

  async #travel(delta) {
    await this.#call("browsingContext.traverseHistory", { delta });
    // A page that was not in the back/forward cache may still be loading.
    await this.evaluate(loaded);
  }

  #call(method, params) {
    return this.#calls.call(method, { context: this.#context, ...params });
  }
}

async function evaluate(calls, context, expression) {
  const { type, result, exceptionDetails } = await calls.call("script.evaluate", {
    expression,
    target: { context },
    awaitPromise: true,
  });
  if (type === "exception") throw new Error(exceptionDetails.text);
  return value(result.value);
}

/** Runs a function in a page. */
function loaded() {
  return new Promise((resolve) => {
    if (document.readyState === "complete") resolve();
    else addEventListener("load", () => resolve());
  });
}

/**
 * Runs a function in the browser's own window. Then removes the crashed tab, which could keep Firefox from ending
 * later.
 */
function killProcess(context) {
  const { Cc, ChromeUtils, Ci, gBrowser } = globalThis;
  const { NavigableManager } = ChromeUtils.importESModule(
    "chrome://remote/content/shared/NavigableManager.sys.mjs",
  );
  const tab = gBrowser.tabs.find((tab) => NavigableManager.getIdForBrowser(tab.linkedBrowser) === context);
  const pidOf = ({ linkedBrowser }) => linkedBrowser.browsingContext.currentWindowGlobal.osPid;
  const pid = pidOf(tab);
  const others = gBrowser.tabs.filter((other) => other !== tab && pidOf(other) === pid);
  if (others.length > 0) throw new Error(`${others.length} other tabs live in process ${pid}`);
  return new Promise((resolve) => {
    const crashed = () => {
      gBrowser.removeTab(tab);
      resolve();
    };
    tab.linkedBrowser.addEventListener("oop-browser-crashed", crashed, { once: true });
    const tools = Cc["@mozilla.org/processtools-service;1"].getService(Ci.nsIProcessToolsService);
    // On Unix this sends SIGKILL.
    tools.kill(pid);
  });
}
