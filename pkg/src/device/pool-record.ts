// The record of a tag's parked numbers, as text and as numbers. It has a version, and is rejected as a whole if any part differs from what
// was written: its numbers are burnt, because guessing them could issue an id twice. The twin of `src/pool/record_text.rs`.

import type { KnownTexts } from "../core/known-texts.js";

/**
 * Versions of the format. A record without tokens has the first one, so that pages that still run the release before can use it beside this
 * one.
 */
const PLAIN = 1;
const WITH_TOKENS = 2;

/** The version of a text, also of later releases. */
const VERSION = /^\{"version":(\d+)/;

/** A record as it is stored. */
interface StoredRecord {
  version: number;
  incarnation: string;
  /** The last three: what a gateway gave with a lease in place of the fence, and the whole lease. */
  parked: [
    low: number,
    high: number,
    prefix: string,
    nodeTag: string,
    leaseLow?: number,
    leaseHigh?: number,
    token?: string,
  ][];
  issued: [nodeTag: string, highest: number][];
  used: number;
}

/** How many numbers `Task.decide` takes and gives for each parked range. */
const PARKED = 7;

/**
 * The numbers of a stored record, as `Task.decide` takes them; none if there is no record, or it cannot be read. Throws a text for a record
 * of a later release: it stays as it is, and this release issues and returns none of its numbers.
 */
export function numbersOf(texts: KnownTexts, text = ""): number[] {
  if (Number(VERSION.exec(text)?.[1]) > WITH_TOKENS) throw "a newer raven-edge wrote them: reload the page";
  const record = read(text);
  if (!record) return [];
  const { incarnation, parked, issued, used } = record;
  return [
    texts.incarnation(incarnation),
    used,
    parked.length,
    ...parked.flatMap(([low, high, prefix, nodeTag, from = 0, to = 0, token]) => [
      low,
      high,
      texts.affixes(prefix, nodeTag),
      texts.nodeTag(nodeTag),
      token === undefined ? 0 : texts.token(token),
      from,
      to,
    ]),
    ...issued.flatMap(([nodeTag, highest]) => [texts.nodeTag(nodeTag), highest]),
  ];
}

/** The text of a record that the core has decided; `undefined`: the stored one stays unchanged. */
export function textOfNumbers(texts: KnownTexts, numbers: ArrayLike<number>): string | undefined {
  const [incarnation, used, count, ...rest] = Array.from(numbers);
  if (used === undefined || count === undefined || incarnation === undefined) return undefined;
  const parked: StoredRecord["parked"] = [];
  const issued: StoredRecord["issued"] = [];
  const end = count * PARKED;
  for (let at = 0; at < end; at += PARKED) {
    const [low = 0, high = 0, affixes = 0, , token = 0, from = 0, to = 0] = rest.slice(at, at + PARKED);
    const [prefix, nodeTag] = texts.affixesOf(affixes);
    if (token > 0) parked.push([low, high, prefix, nodeTag, from, to, texts.fence(token) ?? ""]);
    else parked.push([low, high, prefix, nodeTag]);
  }
  for (let at = end; at < rest.length; at += 2)
    issued.push([texts.nodeTagOf(rest[at] as number), rest[at + 1] as number]);
  return write({ incarnation: texts.incarnationOf(incarnation) ?? "", parked, issued, used });
}

function write({ incarnation, parked, issued, used }: Omit<StoredRecord, "version">): string {
  const version = parked.some(({ length }) => length > 4) ? WITH_TOKENS : PLAIN;
  return JSON.stringify({ version, incarnation, parked, issued, used });
}

function read(text: string): StoredRecord | undefined {
  try {
    const record = JSON.parse(text) as StoredRecord;
    const { incarnation, parked, issued, used } = record;
    const isKnown =
      isTexts([incarnation]) &&
      isCount(used) &&
      parked.every(({ length }) => length === 4 || length === 7) &&
      parked.every(
        ([low, high, prefix, nodeTag, from = low, to = high, token = prefix]) =>
          isRange(low, high) && isRange(from, to) && isTexts([prefix, nodeTag, token]),
      ) &&
      issued.every(
        ([nodeTag, highest, ...more]) => isTexts([nodeTag]) && isCount(highest) && more.length === 0,
      );
    // Compares the version, too.
    return isKnown && write(record) === text ? record : undefined;
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isRange(low: unknown, high: unknown): boolean {
  return isCount(low) && low > 0 && isCount(high) && low <= high;
}

function isTexts(values: unknown[]): boolean {
  return values.every((value) => typeof value === "string");
}
