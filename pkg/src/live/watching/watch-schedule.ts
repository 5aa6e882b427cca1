// Decides when a watch reads: at once when something has changed, but not too often, not while it is reading, not while nobody
// looks. Without a clock: times are given, in milliseconds.

/** The longest pause before a stale index is asked again, and before the next try after a failure. */
const LAST_STALE_PAUSE = 5_000;
const LAST_FAILURE_PAUSE = 30_000;

export class WatchSchedule {
  readonly #every: number;
  #isReading = false;
  #isHidden = false;
  /** When the last read began. */
  #began = Number.NEGATIVE_INFINITY;
  /** When the next read is wanted. */
  #wanted = Number.NEGATIVE_INFINITY;
  /** The last pause after results that were stale or failed. */
  #pause = 0;

  constructor(every: number) {
    this.#every = every;
  }

  /** When to read; `Infinity`: not before something happens. */
  get next(): number {
    return this.#isReading || this.#isHidden ? Number.POSITIVE_INFINITY : this.#wanted;
  }

  /** Something has changed: results that were read or are being read are out of date. */
  change(now: number): void {
    this.#wanted = Math.min(this.#wanted, Math.max(now, this.#began + this.#every));
  }

  /** What made the last read fail is over: read at once. */
  hurry(now: number): void {
    this.#pause = 0;
    this.#wanted = now;
  }

  begin(now: number): void {
    this.#isReading = true;
    this.#began = now;
    this.#wanted = Number.POSITIVE_INFINITY;
  }

  end(now: number, outcome: "fresh" | "stale" | "failed"): void {
    this.#isReading = false;
    if (outcome === "fresh") {
      this.#pause = 0;
      return;
    }
    const longest = outcome === "stale" ? LAST_STALE_PAUSE : LAST_FAILURE_PAUSE;
    this.#pause = Math.min(longest, Math.max(this.#every, this.#pause * 2));
    this.#wanted = Math.min(this.#wanted, now + this.#pause);
  }

  /** Whether the page is hidden. */
  hide(isHidden: boolean): void {
    this.#isHidden = isHidden;
  }
}
