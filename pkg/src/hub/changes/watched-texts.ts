// Gives numbers to watched documents, prefixes and collections, and finds those that a change concerns.

import { idKey } from "../../common/id-key.js";

export const KINDS = ["doc", "prefix", "collection"] as const;
export type Kind = (typeof KINDS)[number];

export interface WatchedText {
  kind: Kind;
  param: string;
}

export class WatchedTexts {
  /** By kind and key. */
  #numbers: Record<Kind, Map<string, number>> = { doc: new Map(), prefix: new Map(), collection: new Map() };
  #texts = new Map<number, WatchedText>();
  #last = 0;

  find({ kind, param }: WatchedText): number | undefined {
    return this.#numbers[kind].get(idKey(param));
  }

  /** The number of a text, which gets one if it has none: each number is given once. */
  give(text: WatchedText): number {
    const known = this.find(text);
    if (known !== undefined) return known;
    const number = ++this.#last;
    this.#numbers[text.kind].set(idKey(text.param), number);
    this.#texts.set(number, text);
    return number;
  }

  text(number: number): WatchedText | undefined {
    return this.#texts.get(number);
  }

  forget(number: number): void {
    const text = this.#texts.get(number);
    if (!text) return;
    this.#texts.delete(number);
    this.#numbers[text.kind].delete(idKey(text.param));
  }

  /** The numbers of the texts that a changed document concerns. */
  concerned(id: string, collection: string): number[] {
    const { doc, prefix, collection: collections } = this.#numbers;
    const key = idKey(id);
    const prefixes = [...prefix].filter(([begin]) => key.startsWith(begin)).map(([, number]) => number);
    return [doc.get(key), collections.get(idKey(collection)), ...prefixes].filter(
      (number) => number !== undefined,
    );
  }
}
