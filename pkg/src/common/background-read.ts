// A read in the background, one at a time.

export class Background {
  #since = Number.NEGATIVE_INFINITY;

  /**
   * Begins to read, unless a read began less than `limit` milliseconds ago and has not ended. Resolves when the read has ended,
   * whether it failed or not.
   */
  start(limit: number, read: () => Promise<unknown>): Promise<void> | undefined {
    const now = performance.now();
    // In workerd a read may be dropped with its request: the mark is a time, not a flag.
    if (now - this.#since < limit) return undefined;
    this.#since = now;
    const done = () => {
      this.#since = Number.NEGATIVE_INFINITY;
    };
    return read().then(done, done);
  }
}
