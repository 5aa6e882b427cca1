// The record of a tag's parked numbers, as text and as numbers. It has a version, and is rejected as a whole if any part differs from what
// was written: its numbers are burnt, because guessing them could issue an id twice. The twin of `src/pool/record_text.rs`.

import type { KnownTexts } from "../core/known-texts.js";

const VERSION = 1;

/** A record as it is stored. */
interface StoredRecord {
  version: number;
  incarnation: string;
  parked: [low: number, high: number, prefix: string, nodeTag: string][];
  issued: [nodeTag: string, highest: number][];
  used: number;
}

/** The numbers of a stored record, as `Task.decide` takes them; none if there is no record, or it cannot be read. */
export function numbersOf(texts: KnownTexts, text: string | undefined): number[] {
  const record = text === undefined ? undefined : read(text);
  if (!record) return [];
  const { incarnation, parked, issued, used } = record;
  return [
    texts.incarnation(incarnation),
    used,
    parked.length,
    ...parked.flatMap(([low, high, prefix, nodeTag]) => [
      low,
      high,
      texts.affixes(prefix, nodeTag),
      texts.nodeTag(nodeTag),
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
  const end = count * 4;
  for (let at = 0; at < end; at += 4) {
    const [low = 0, high = 0, affixes = 0] = rest.slice(at, at + 3);
    parked.push([low, high, ...texts.affixesOf(affixes)]);
  }
  for (let at = end; at < rest.length; at += 2)
    issued.push([texts.nodeTagOf(rest[at] as number), rest[at + 1] as number]);
  return write({ incarnation: texts.incarnationOf(incarnation) ?? "", parked, issued, used });
}

function write({ incarnation, parked, issued, used }: Omit<StoredRecord, "version">): string {
  return JSON.stringify({ version: VERSION, incarnation, parked, issued, used });
}

function read(text: string): StoredRecord | undefined {
  try {
    const record = JSON.parse(text) as StoredRecord;
    const { version, incarnation, parked, issued, used } = record;
    const isKnown =
      version === VERSION &&
      isTexts([incarnation]) &&
      isCount(used) &&
      parked.every(
        ([low, high, ...texts]) => isCount(low) && low > 0 && isCount(high) && low <= high && isTexts(texts),
      ) &&
      issued.every(([nodeTag, highest]) => isTexts([nodeTag]) && isCount(highest));
    return isKnown && write(record) === text ? record : undefined;
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isTexts(values: unknown[]): boolean {
  return values.every((value) => typeof value === "string");
}
