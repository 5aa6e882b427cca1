// Whether the browser has promised to keep the data of the site.

export class Persistence {
  readonly #changed;
  #isGranted: boolean | undefined;

  /** `changed` is called when the browser has responded. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** `undefined` before the browser has said so. */
  get isGranted(): boolean | undefined {
    return this.#isGranted;
  }

  /** Asks whether it has promised it before. */
  async ask(): Promise<void> {
    this.#isGranted = await globalThis.navigator?.storage?.persisted?.();
    this.#changed();
  }

  /** Requests the promise, unless it was asked for. */
  request(): void {
    const storage = globalThis.navigator?.storage;
    if (this.#isGranted !== undefined || !storage?.persist) return;
    this.#isGranted = false;
    storage.persist().then(
      (isGranted) => {
        this.#isGranted = isGranted;
        this.#changed();
      },
      () => {},
    );
  }
}
