// Everything that this page knows about numbers: from the package's events and status, the other tabs, the device and
// the server.

import { homeless, homesOf } from "./homes.js";
import { readParked } from "./parked.js";
import { above, minus, size, union, within } from "./ranges.js";

/**
 * In milliseconds: a number without a home for this long counts as lost, because the package moves numbers faster.
 */
const LIMIT = 1_200;

const clear = () => ({ issued: {}, got: [], returned: [] });

export class Known {
  #database;
  #letter;
  #memory;
  #suspects;
  /** Counts lease events. A read of the server that began before an event is outdated. */
  #news = 0;
  #parked = [];
  #burnt = [];
  #others = [];
  #held = [];
  #remembered;
  /** The server's `Max` as last read. */
  max = 0;

  constructor(database, letter) {
    this.#database = database;
    this.#letter = letter;
    this.#memory = { ...clear(), ...JSON.parse(localStorage.getItem(this.#key) ?? "{}") };
  }

  get #key() {
    return `raven-edge demo ${this.#database}`;
  }

  /** What the other tabs need to know. */
  get state() {
    const { issued, got, returned } = this.#memory;
    return { held: this.#held, issued, got, returned };
  }

  /** This tab leased these numbers. */
  leased(low, high) {
    this.#news++;
    this.#memory.got = union(this.#memory.got, [[low, high]]);
    this.#memory.returned = minus(this.#memory.returned, [[low, high]]);
    this.max = Math.max(this.max, high);
  }

  /** Records that the number of an id was issued, by this tab if no letter is given. */
  issued(number, letter = this.#letter) {
    const { issued } = this.#memory;
    issued[letter] = union(issued[letter] ?? [], [[number, number]]);
  }

  /** Takes the state of another tab; returns whether the server should be read because of it. */
  receive({ issued, got, returned }) {
    const memory = this.#memory;
    for (const [letter, set] of Object.entries(issued))
      memory.issued[letter] = union(memory.issued[letter] ?? [], set);
    const fresh = minus(got, memory.got);
    memory.got = union(memory.got, got);
    memory.returned = minus(union(memory.returned, returned), memory.got);
    if (fresh.length > 0) this.#news++;
    return fresh.length > 0;
  }

  /** Takes the result of `read()`, unless a lease during the read made it outdated. */
  async server(read) {
    const before = this.#news;
    const found = await read();
    if (this.#news !== before) return;
    const memory = this.#memory;
    if (memory.incarnation !== found.incarnation) {
      const known = memory.incarnation !== undefined;
      Object.assign(memory, known && clear(), { incarnation: found.incarnation });
    }
    this.max = found.max;
    const mine = union(...Object.values(memory.issued));
    const saved = found.orders.map((order) => Number(/\/(\d+)-\w+$/.exec(order["@metadata"]["@id"])?.[1]));
    // The issuing tab is known only for numbers that this device's tabs issued.
    const strange = saved.filter((number) => number && within([[number, number]], mine).length === 0);
    for (const number of strange) this.issued(number, "");
    const back = minus(above(memory.got, this.max), union(this.#parked, this.#held, mine));
    memory.got = minus(memory.got, back);
    memory.returned = above(union(memory.returned, back), this.max);
    return found;
  }

  /**
   * Reads device and memory; returns the runs of the map. `held()`: the numbers in this tab's memory; `others`: the
   * states of the other living tabs.
   */
  async look(held, others) {
    this.#parked = await readParked(this.#database, this.#memory.incarnation);
    // Memory is read before the device: a number that is claimed in between appears in both, never in neither.
    this.#held = held();
    this.#others = others;
    const facts = this.#facts;
    this.#judge(homeless(facts));
    this.#remember(JSON.stringify(this.#memory));
    return homesOf({ ...facts, burnt: this.#burnt });
  }

  #remember(text) {
    if (text !== this.#remembered) localStorage.setItem(this.#key, text);
    this.#remembered = text;
  }

  get #facts() {
    const own = { letter: this.#letter, held: this.#held };
    return { max: this.max, parked: this.#parked, tabs: [own, ...this.#others], ...this.#memory };
  }

  get parked() {
    return size(this.#parked);
  }

  /**
   * Whether numbers are between two homes. Then the server should be read soon: it shows what a closing tab has
   * returned.
   */
  get hasMovingNumbers() {
    return this.#suspects !== undefined;
  }

  #judge(lost) {
    const now = performance.now();
    this.#burnt = within(this.#burnt, lost);
    const fresh = minus(lost, this.#burnt);
    this.#suspects = fresh.length === 0 ? undefined : (this.#suspects ?? { set: fresh, since: now });
    if (!this.#suspects || now - this.#suspects.since < LIMIT) return;
    this.#burnt = union(this.#burnt, within(this.#suspects.set, fresh));
    this.#suspects = undefined;
  }
}
