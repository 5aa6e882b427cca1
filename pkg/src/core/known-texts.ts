// Texts that have numbers in the core: tags, prefixes and node tags, incarnations, addresses, and what belongs to a lease.

import { idKey } from "../common/id-key.js";
import { type Ask, type Grant, isOfSingleNode, isSealed } from "./grant.js";

/** The tag of texts that are never forgotten. */
const LASTING = -1;

/** What belongs to a lease. */
interface LeaseTexts {
  /**
   * The number of its tag. `LASTING` if a gateway has sealed the fence: numbers on the device keep it, and a move of them may be under way
   * at any time.
   */
  tag: number;
  fence: string | undefined;
  /** What the next lease must repeat. */
  at: string;
}

/** An address without slashes at its end, as requests are sent to it. */
export const withoutSlash = (url: string): string => url.replace(/\/+$/, "");

/** The number of a value in a list, which gets it if it lacks it. */
function numberIn<Value>(list: Value[], value: Value, isSame = (known: Value) => known === value): number {
  const at = list.findIndex(isSame);
  return at < 0 ? list.push(value) - 1 : at;
}

export class KnownTexts {
  readonly tags: string[] = [];
  /** The addresses of nodes. Entries are never changed or removed, so that a number keeps its meaning. */
  readonly urls: string[] = [];
  /** Prefixes and node tags, as they are spelled. */
  #affixes: [prefix: string, nodeTag: string][] = [];
  /** The first spelling of each node tag. */
  #nodeTags: string[] = [];
  /** By numbers from 1 on. The first one is that of numbers that do not belong to a database. */
  #incarnations = [undefined, ""] as string[];
  /** By ascending numbers from 1 on. */
  #leases = new Map<number, LeaseTexts>();
  #newest = 0;
  /** The numbers of texts that a gateway has sealed. */
  #tokens = new Map<string, number>();

  /** The number of an address. Trailing slashes are ignored. */
  url(url: string): number {
    return numberIn(this.urls, withoutSlash(url));
  }

  /** The number of an incarnation; 0: none. */
  incarnation(text: string | undefined): number {
    return numberIn(this.#incarnations, text as string);
  }

  incarnationOf(number: number): string | undefined {
    return this.#incarnations[number];
  }

  affixes(prefix: string, nodeTag: string): number {
    const same = ([first, second]: [string, string]) => first === prefix && second === nodeTag;
    return numberIn(this.#affixes, [prefix, nodeTag], same);
  }

  affixesOf(number: number): [prefix: string, nodeTag: string] {
    return this.#affixes[number] ?? ["", ""];
  }

  /** The number of a node tag, which is the same for all spellings that make the same ids. */
  nodeTag(nodeTag: string): number {
    return numberIn(this.#nodeTags, nodeTag, (known) => idKey(known) === idKey(nodeTag));
  }

  nodeTagOf(number: number): string {
    return this.#nodeTags[number] ?? "";
  }

  #keep(texts: LeaseTexts): number {
    this.#leases.set(++this.#newest, texts);
    return this.#newest;
  }

  /** The number of a text that a gateway has sealed. */
  token(fence: string): number {
    const number = this.#tokens.get(fence) ?? this.#keep({ tag: LASTING, fence, at: "" });
    this.#tokens.set(fence, number);
    return number;
  }

  fence(number: number): string | undefined {
    return this.#leases.get(number)?.fence;
  }

  /** The request for a range, from its numbers (`PURPOSE_LEASE`). Forgets the texts of the tag that are not needed any more. */
  ask([tag, oldest, proof, incarnation, echo, size, exact, above, nonce]: readonly number[]): Ask {
    for (const [number, texts] of this.#leases)
      if (texts.tag === tag && number < (oldest as number)) this.#leases.delete(number);
    const last = this.#leases.get(echo as number);
    return {
      tag: this.tags[tag as number] as string,
      exact: exact as number,
      last: last && { size: size as number, at: last.at },
      above: above as number,
      proof: this.fence(proof as number),
      incarnation: this.incarnationOf(incarnation as number),
      nonce: nonce as number,
    };
  }

  /** The numbers of a grant, as `Task.leased` takes them. */
  grant(tag: number, { low, high, prefix, nodeTag, fence, at, incarnation }: Grant) {
    const token = fence !== undefined && isSealed(fence) ? this.token(fence) : undefined;
    if (token !== undefined) this.#leases.set(token, { tag: LASTING, fence, at });
    return [
      low,
      high,
      this.affixes(prefix, nodeTag),
      this.nodeTag(nodeTag),
      token ?? this.#keep({ tag, fence, at }),
      fence !== undefined,
      token !== undefined,
      fence !== undefined && isOfSingleNode(fence, nodeTag),
      this.incarnation(incarnation),
    ] as const;
  }

  /** The numbers of a counter document that was read to get a fence, for numbers with these affixes; as `Task.refenced` takes them. */
  counter(tag: number, affixes: number, found: { max: number; fence: string } | undefined): number[] {
    if (!found) return [0, 0, 0];
    const { max, fence } = found;
    const isSingle = isOfSingleNode(fence, this.affixesOf(affixes)[1]);
    return [max, this.#keep({ tag, fence, at: "" }), +isSingle];
  }
}
