// Which capability commands, includes and members of responses belong to: a word in their names says it.

import { here, later } from "../runtime/load-part.js";
import type { SessionPart } from "./session-part.js";

/** The parts that take part in sessions, by their words. */
const WORDS = {
  Attachment: "attachments",
  CompareExchange: "cluster",
  Counter: "counters",
  TimeSeries: "timeSeries",
  Revision: "revisions",
} as const;

/** The name of a capability. */
export type PartName = (typeof WORDS)[keyof typeof WORDS];

/** The names of the capabilities that these names belong to. */
export function partNames(names: readonly (string | undefined)[]): PartName[] {
  const words = Object.keys(WORDS) as (keyof typeof WORDS)[];
  const found = words.filter((word) => names.some((name) => name?.includes(word)));
  return found.map((word) => WORDS[word]);
}

/** The capability that a name belongs to, if its code is loaded. */
export function loadedPart(name: string | undefined): SessionPart | undefined {
  const [found] = partNames([name]);
  return found && here(found);
}

/** The code of the capabilities that these names belong to. */
export function partsOf(names: readonly (string | undefined)[]): Promise<SessionPart[]> {
  return Promise.all(partNames(names).map((name): Promise<SessionPart> => later(name)));
}
