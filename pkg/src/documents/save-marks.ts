// What a session remembers about documents for its saves: which are deleted next, which are never saved, and which have numbers that
// JavaScript cannot hold.

export class SaveMarks {
  #deleted = new Set<number>();
  #ignored = new Set<number>();
  /** Numbers that JavaScript cannot hold, as the server wrote them. */
  #inexact = new Map<number, string[]>();

  /** The next save deletes the document. */
  delete(slot: number): void {
    this.#deleted.add(slot);
  }

  /** The next save does not delete the document; returns whether it was to be deleted. */
  restore(slot: number): boolean {
    return this.#deleted.delete(slot);
  }

  isDeleted(slot: number): boolean {
    return this.#deleted.has(slot);
  }

  /** Slots of documents to be deleted. */
  get deleted(): number[] {
    return [...this.#deleted];
  }

  /** Leaves changes of a document out of saves from now on. */
  ignore(slot: number): void {
    this.#ignored.add(slot);
  }

  /** Whether a save writes changes of the document. */
  writes(slot: number): boolean {
    return !this.#ignored.has(slot) && !this.#deleted.has(slot);
  }

  /** Whether any document has numbers that JavaScript cannot hold. */
  get hasInexact(): boolean {
    return this.#inexact.size > 0;
  }

  /** The numbers of a document that JavaScript cannot hold, as the server wrote them. */
  inexact(slot: number): string[] | undefined {
    return this.#inexact.get(slot);
  }

  /** `undefined`: the document has no such numbers. */
  setInexact(slot: number, literals: string[] | undefined): void {
    if (literals) this.#inexact.set(slot, literals);
    else if (this.hasInexact) this.#inexact.delete(slot);
  }

  /** The document was removed from the session. */
  drop(slot: number): void {
    for (const marks of [this.#deleted, this.#ignored, this.#inexact]) marks.delete(slot);
  }
}
