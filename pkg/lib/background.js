// Something that is read in the background, one at a time.

export class Background {
  #since = Number.NEGATIVE_INFINITY;

  /** Begins to read, unless that is under way for less than `limit` milliseconds; gives the end of it. */
  start(limit, read) {
    const now = performance.now();
    // On workerd a read may end with its request: the mark is a time, not a flag.
    if (now - this.#since < limit) return undefined;
    this.#since = now;
    const done = () => {
      this.#since = Number.NEGATIVE_INFINITY;
    };
    return read().then(done, done);
  }
}
