// What happens to servers while all clients work: they are killed and started, the database is backed up and restored.
import { setTimeout as sleep } from "node:timers/promises";

/** Of all collections that clients write. */
const PREFIXES = ["orders/", "items/", "shared/", "counts/"];

export class Chaos {
  #raven;
  #line;
  #recorder;
  #dice;
  #workers;
  /** `{ folder, began, parent }` */
  #backup;

  /** `line`: the wire before RavenDB; `workers`: by name. */
  constructor({ raven, line, recorder, dice, workers }) {
    this.#raven = raven;
    this.#line = line;
    this.#recorder = recorder;
    this.#dice = dice;
    this.#workers = workers;
  }

  async begin() {
    const incarnation = await this.#raven.incarnation();
    this.#recorder.histories.push({
      incarnation,
      parent: undefined,
      began: 0,
      restored: 0,
      marks: new Set(),
    });
  }

  /** One fault after the other, until the time is over. */
  async run(isOver) {
    const events = [];
    while (!isOver()) {
      // Each kind occurs once before one occurs again.
      if (events.length === 0) events.push(...this.#round());
      const next = events.shift();
      const began = this.#recorder.now;
      const entry = this.#recorder.fault(next.what);
      await next.act();
      entry.until = this.#recorder.now;
      this.#recorder.say(`${next.what}: ${Math.round(this.#recorder.now - began)} ms`);
      const end = this.#recorder.now + 1_000 + this.#dice.below(5_000);
      while (!isOver() && this.#recorder.now < end) await sleep(100);
    }
  }

  #round() {
    const workers = Object.entries(this.#workers).map(([name, worker]) => ({
      what: `${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} killed`,
      act: () => worker.again(),
    }));
    const events = [
      ...workers,
      { what: "RavenDB killed", act: () => this.#restart(true) },
      { what: "RavenDB restarted", act: () => this.#restart(false) },
      { what: "network cut", act: () => this.#cut() },
      { what: "late copies delivered", act: () => this.#line.replay() },
    ];
    const mixed = events
      .map((event) => ({ event, at: this.#dice.below(1_000_000) }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ event }) => event);
    // Other things happen before a backup, between it and its restore, and afterwards.
    const [early, late] = [2, 5];
    return [
      ...mixed.slice(0, early),
      { what: "backup", act: () => this.#save() },
      ...mixed.slice(early, late),
      { what: "backup restored", act: () => this.#restore() },
      ...mixed.slice(late),
    ];
  }

  async #restart(isKilled) {
    await this.#raven.end(isKilled);
    await sleep(this.#dice.below(2_000));
    await this.#raven.start();
  }

  /** Everything is cut off from RavenDB. */
  async #cut() {
    await this.#line.wire.off();
    await sleep(500 + this.#dice.below(4_000));
    await this.#line.wire.on();
  }

  async #save() {
    const began = this.#recorder.now;
    const parent = this.#recorder.histories.length - 1;
    this.#backup = { folder: await this.#raven.backup(), began, parent };
  }

  /**
   * The database is deleted and restored. Meanwhile clients are told that there is no database. Then no request gets through until the
   * recorder knows what the restored one has.
   */
  async #restore() {
    const { folder, began, parent } = this.#backup;
    await this.#close();
    await this.#raven.remove();
    this.#line.isClosed = false;
    await sleep(this.#dice.below(1_500));
    await this.#close();
    await this.#raven.restore(folder);
    const incarnation = await this.#raven.incarnation();
    const { places } = await this.#raven.marks(PREFIXES);
    const restored = this.#recorder.now;
    this.#recorder.histories.push({ incarnation, parent, began, restored, marks: new Set(places.keys()) });
    this.#line.isClosed = false;
  }

  /** No request passes any more, and none is pending. */
  async #close() {
    this.#line.isClosed = true;
    const end = this.#recorder.now + 10_000;
    while (this.#line.pending > 0 && this.#recorder.now < end) await sleep(20);
    if (this.#line.pending > 0) this.#recorder.say(`${this.#line.pending} requests are pending`);
  }
}

/** What the server has at the end, for the books. */
export async function inventory(raven) {
  const { places, documents } = await raven.marks(PREFIXES);
  const counters = documents
    .filter(({ id }) => id.startsWith("counts/"))
    .map(({ id, count, marks }) => ({ id, count, marks: marks.length }));
  return { found: places, counters };
}
