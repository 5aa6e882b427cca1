// A device: a profile, the browser that runs with it, and its tabs.
import assert from "node:assert/strict";
import { killContents } from "../../support/kill-pages.mjs";

/** How many numbers are put into the pool before a kill: those of an empty pool, and the spare ones. */
const FILLING = 8;

export class Device {
  counts = { browsers: 0, contents: 0, starts: 0, kept: 0, errors: {} };
  #world;
  #running;
  /** Each is a tab and a promise of its page's end. */
  #seats = [];
  #works = 0;
  /** The spare numbers of a killed browser. */
  #spares;

  constructor(world) {
    this.#world = world;
  }

  get killed() {
    return this.counts.browsers + this.counts.contents;
  }

  /** Runs a round. */
  async live({ tabs, detour, deaths }) {
    await this.#start();
    await this.#fit(tabs.length);
    const works = this.#seats.map((seat, at) => this.#work(seat, tabs[at].stores, tabs[at].work));
    if (detour) {
      if (!detour.early) await works[detour.tab];
      await this.#go(detour);
    }
    await Promise.all(works);
    for (const death of deaths) await this.#toDeath(tabs, death);
  }

  /** Lets all pages work; meanwhile one of them dies, or all. */
  async #toDeath(tabs, { how, tab, after }) {
    const at = tab % this.#seats.length;
    if (how === "browser") await this.#stock();
    await this.#fill(at);
    const enough = this.#world.notes.ids(after);
    const works = this.#seats.map((seat, at) => this.#work(seat, tabs[at].stores, tabs[at].last));
    await Promise.race([enough, Promise.all(works)]);
    await this.#die(how, at);
    await Promise.all(works);
  }

  /** Starts the browser again if it died last. */
  async last() {
    if (this.#spares) await this.#start();
  }

  /** Ends the browser as a user does. */
  async end() {
    const running = this.#running;
    this.#running = undefined;
    for (const seat of this.#seats.splice(0)) seat.leave();
    await running?.close();
  }

  async #start() {
    if (this.#running) return;
    const { browser, profile, ledger } = this.#world;
    this.#running = await browser.launch({ profile });
    // This tab stays open: Firefox ends with its last tab.
    await this.#running.open("about:blank");
    this.#seats.push(await this.#open());
    const parked = await this.#parked(0);
    ledger.say(`started, ${parked} parked`);
    if (!this.#spares) return;
    this.counts.starts++;
    if (parked > 0) this.counts.kept++;
    assert.deepEqual(
      await this.#spared(),
      this.#spares,
      "the device has kept the numbers that no caller took",
    );
    this.#spares = undefined;
  }

  /** Opens and closes tabs until there are this many. */
  async #fit(count) {
    while (this.#seats.length > count) {
      const { tab, leave } = this.#seats.pop();
      leave();
      await tab.close();
    }
    while (this.#seats.length < count) this.#seats.push(await this.#open());
  }

  async #open() {
    return this.#seat(await this.#running.open(this.#world.url));
  }

  /** A tab with a loaded page; `left` reports that the page is about to close. */
  async #seat(tab) {
    await tab.evaluate(() => globalThis.ready);
    let leave;
    const left = new Promise((resolve) => {
      leave = resolve;
    });
    return { tab, left, leave };
  }

  /** Makes a page work; resolves when it has finished or closed. */
  async #work({ tab, left }, stores, lanes) {
    const work = ++this.#works;
    const begun = tab.evaluate((...all) => void globalThis.work(...all), work, stores, lanes);
    const done = this.#world.notes.done(work, left);
    // A page that dies before it has begun does not respond.
    await Promise.race([begun, left]);
    for (const error of await done) this.counts.errors[error] = (this.counts.errors[error] ?? 0) + 1;
  }

  /** Actions of users on tabs. */
  async #go({ tab: at, how }) {
    this.#world.ledger.say(`tab ${at}: ${how}`);
    const { tab, leave } = this.#seats[at];
    leave();
    if (how === "close") {
      const fresh = await this.#open();
      await tab.close();
      this.#seats[at] = fresh;
    } else {
      if (how === "reload") await tab.reload();
      else {
        await tab.goto(`${this.#world.url}/away`);
        await tab.back();
        if (await tab.evaluate(() => globalThis.stuck)) await tab.reload();
      }
      this.#seats[at] = await this.#seat(tab);
    }
  }

  /**
   * Before the browser is killed, spare numbers that no work uses are put on the device. The work's own numbers may
   * all be returned by the moment of death; the next start must find the spare ones.
   */
  async #stock() {
    const { url, faults, ledger } = this.#world;
    let spares = [];
    // If the device or the server was too slow, this page has no numbers; the next page has.
    for (let turn = 0; total(spares) < FILLING && turn < 3; turn++) {
      const { tab } = await this.#seat(await this.#running.open(`${url}/spare`));
      await faults.without(() => tab.evaluate((count) => globalThis.stock(count), FILLING).catch(() => {}));
      // The page is left first, so that its siblings receive its BYE.
      await tab.goto(`${url}/away`);
      await tab.close();
      spares = await this.#spared();
    }
    ledger.say(`spares ${JSON.stringify(spares)}`);
    assert.ok(total(spares) >= FILLING, `at least ${FILLING} spare numbers are on the device`);
    this.#spares = spares;
  }

  #spared() {
    return this.#seats[0].tab.evaluate(() => globalThis.spares());
  }

  #parked(at) {
    return this.#seats[at].tab.evaluate(() => globalThis.parked());
  }

  /** Makes sure that the device has numbers before a kill, which it could lose or issue twice. */
  async #fill(at) {
    let parked = await this.#parked(at);
    for (let turn = 0; parked === 0 && turn < 3; turn++) {
      // If the device or the server was too slow, this page has no numbers; a new page has.
      if (turn > 0) await this.#go({ tab: at, how: "close" });
      const fill = (count) => globalThis.fill(count);
      await this.#world.faults.without(() => this.#seats[at].tab.evaluate(fill, FILLING).catch(() => {}));
      parked = await this.#parked(at);
    }
    this.#world.ledger.say(`${parked} parked`);
    assert.ok(parked > 0, "numbers are on the device before the kill");
  }

  async #die(how, at) {
    const { profile, ledger } = this.#world;
    ledger.say(`kill ${how} ${at}`);
    const whole = how === "browser";
    const dead = whole || how === "contents" ? this.#seats.splice(0) : this.#seats.splice(at, 1);
    this.counts[whole ? "browsers" : "contents"]++;
    for (const { leave } of dead) leave();
    if (whole) {
      const running = this.#running;
      this.#running = undefined;
      await running.kill();
    } else {
      const all = this.#seats.length === 0;
      await killContents(
        all ? profile : undefined,
        dead.map(({ tab }) => tab),
      );
    }
    ledger.say("killed");
  }
}

function total(ranges) {
  return ranges.reduce((sum, [low, high]) => sum + high - low + 1, 0);
}
