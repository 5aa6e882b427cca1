// A device: a browser with a profile, whose pages work and die.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "../../support/cleanup.mjs";
import { killContents } from "../../support/kill-pages.mjs";
import { within } from "../../support/store.mjs";

/** In milliseconds: a call of a page that takes longer means that the browser hangs. */
const LIMIT = 90_000;

/** How often a device tries to send what it still has when faults have ended. */
const FLUSHES = 24;

/** What ends a round, and how often: whole browsers take seconds to start. */
const ENDS = [
  ..."page page page page page pages reload reload close close away offline offline offline".split(" "),
  "browser",
];

export class Device {
  name;
  #browser;
  #profile;
  #site;
  #recorder;
  #dice;
  #running;
  #tabs = [];

  constructor({ name, browser, profile, site, recorder, dice }) {
    this.name = name;
    this.#browser = browser;
    this.#profile = profile;
    this.#site = site;
    this.#recorder = recorder;
    this.#dice = dice;
  }

  static async make(t, given) {
    const profile = await mkdtemp(join(tmpdir(), "raven-edge-drill-"));
    after(t, () => rm(profile, { recursive: true, force: true, maxRetries: 5 }));
    const device = new Device({ ...given, profile });
    after(t, () => device.#kill());
    return device;
  }

  /** Rounds of work that end badly, until the time is over. */
  async live(isOver) {
    while (!isOver()) {
      try {
        await within(LIMIT, this.#round(isOver), `a round of ${this.name}`);
      } catch (error) {
        this.#recorder.say(`${this.name}: ${error.stack}`);
        this.#recorder.count("driver troubles");
        await this.#kill();
      }
    }
  }

  async #round(isOver) {
    await this.#pages(this.#dice.chance(0.3) ? 2 : 1);
    for (const tab of this.#tabs) await tab.evaluate(() => void globalThis.work());
    const end = this.#recorder.now + 1_500 + this.#dice.below(9_000);
    while (this.#recorder.now < end && !isOver()) await pause(100);
    if (!isOver()) await this.#end(this.#dice.pick(ENDS));
  }

  async #end(how) {
    const tab = this.#dice.pick(this.#tabs);
    this.#recorder.fault(how === "offline" ? "device offline" : KILLS[how]);
    if (how === "page") {
      this.#tabs = this.#tabs.filter((other) => other !== tab);
      await killContents(undefined, [tab]);
    } else if (how === "pages") await killContents(this.#profile, this.#tabs.splice(0));
    else if (how === "browser") await this.#kill();
    else if (how === "reload") await this.#reloaded(tab, () => tab.reload());
    else if (how === "away")
      await this.#reloaded(tab, async () => {
        await tab.goto(`${this.#site.url}/away`);
        await tab.back();
      });
    else if (how === "close") {
      this.#tabs = this.#tabs.filter((other) => other !== tab);
      await tab.close();
    } else {
      await this.#site.wire.off();
      await pause(500 + this.#dice.below(6_000));
      await this.#site.wire.on();
    }
    await this.#site.replay();
  }

  async #reloaded(tab, action) {
    await action();
    await tab.evaluate(() => globalThis.ready);
  }

  /** Opens pages until there are this many. */
  async #pages(count) {
    if (!this.#running) {
      this.#running = await this.#browser.launch({ profile: this.#profile });
      // This tab stays open: Firefox ends with its last tab.
      await this.#running.open("about:blank");
    }
    while (this.#tabs.length < count) {
      const tab = await this.#running.open(this.#site.url);
      await tab.evaluate(() => globalThis.ready);
      this.#tabs.push(tab);
    }
  }

  async #kill() {
    this.#tabs = [];
    const running = this.#running;
    this.#running = undefined;
    await running?.kill();
  }

  /** Sends what the device still has; returns what is left. */
  async finish() {
    let left;
    for (let turn = 0; turn < FLUSHES && left !== ""; turn++) {
      try {
        await this.#pages(1);
        for (const tab of this.#tabs.splice(1)) await tab.close();
        left = await this.#tabs[0].evaluate(() => globalThis.finish());
      } catch (error) {
        this.#recorder.say(`${this.name} at the end: ${error.stack}`);
        left = `what could not be told: ${error.message}`;
        await this.#kill();
      }
      if (left) this.#recorder.say(`${this.name} still has ${left.slice(0, 300)}`);
    }
    return left;
  }

  async close() {
    const running = this.#running;
    this.#running = undefined;
    await running?.close();
  }
}

const KILLS = {
  page: "page killed",
  pages: "all pages killed",
  browser: "browser killed",
  reload: "page reloaded",
  close: "page closed",
  away: "page left and restored",
};

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
