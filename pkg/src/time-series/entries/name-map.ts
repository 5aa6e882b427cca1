// Values by names of time series, which RavenDB compares without regard to case.

/** A map whose keys are compared without regard to case; it shows the spelling that came first. */
export class NameMap<Value> extends Map<string, Value> {
  #spellings = new Map<string, string>();

  override get(name: string): Value | undefined {
    return super.get(this.#spelling(name));
  }

  override has(name: string): boolean {
    return super.has(this.#spelling(name));
  }

  override set(name: string, value: Value): this {
    const spelling = this.#spelling(name);
    this.#spellings.set(name.toLowerCase(), spelling);
    return super.set(spelling, value);
  }

  override delete(name: string): boolean {
    const spelling = this.#spelling(name);
    this.#spellings.delete(name.toLowerCase());
    return super.delete(spelling);
  }

  override clear(): void {
    this.#spellings.clear();
    super.clear();
  }

  #spelling(name: string): string {
    return this.#spellings.get(name.toLowerCase()) ?? name;
  }
}
