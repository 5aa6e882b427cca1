// Merges three versions of a document: what the device had (base), what a change makes of it (mine), what the server has (theirs).

import { isObject } from "../common/arguments.js";
import type { JsonObject } from "../common/json.js";
import { same } from "../documents/snapshots/equal-values.js";
import { NESTED } from "../documents/snapshots/snapshot-values.js";
import { ofApp, SERVERS } from "../documents/snapshots/snapshots.js";
import type { DocumentConflict, MergeRule, OfflineDocument } from "./offline-types.js";

const META = "@metadata";

/** Not a member of either side. */
const ABSENT = Symbol();

type Member = unknown;

const isPlain = (value: unknown): value is JsonObject => isObject(value) && !Array.isArray(value);

const memberOf = (of: JsonObject, name: string): Member => (Object.hasOwn(of, name) ? of[name] : ABSENT);

function put(into: JsonObject, name: string, value: Member): void {
  // An assignment to `__proto__` would make no member.
  if (value !== ABSENT)
    Object.defineProperty(into, name, { value, writable: true, enumerable: true, configurable: true });
}

const equal = (a: Member, b: Member): boolean => a === b || (a !== ABSENT && b !== ABSENT && same(a, b));

/** A document without the metadata that the server makes; its collection stays. */
export function bare(document: JsonObject): JsonObject {
  const { [META]: metadata, ...members } = document;
  const own = ofApp(metadata as object) ?? {};
  const collection = (metadata as JsonObject | undefined)?.["@collection"];
  return { ...members, [META]: collection === undefined ? own : { "@collection": collection, ...own } };
}

/** A document as it was stored: without what the server writes into its metadata. */
export function asStored(document: JsonObject): JsonObject {
  const metadata = Object.entries((document[META] ?? {}) as JsonObject);
  const own = metadata.filter(([name]) => name === "@collection" || !SERVERS.has(name));
  return { ...document, [META]: Object.fromEntries(own) };
}

/** Whether two documents say the same, apart from the metadata that the server makes. */
export function alike(a: OfflineDocument, b: OfflineDocument): boolean {
  return a === null || b === null ? a === b : same(bare(a), bare(b));
}

/**
 * Carries over to `theirs` the members that differ between `base` and `mine`. `undefined`: both sides have changed the same member.
 * Lists are members, and not merged item by item.
 */
function merged(base: JsonObject, mine: JsonObject, theirs: JsonObject): JsonObject | undefined {
  const result: JsonObject = {};
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(mine), ...Object.keys(base)])) {
    const [was, ours, other] = [memberOf(base, name), memberOf(mine, name), memberOf(theirs, name)];
    let value = other;
    if (equal(ours, other) || equal(was, ours)) value = other;
    else if (equal(was, other)) value = ours;
    else if (isPlain(was) && isPlain(ours) && isPlain(other)) {
      value = merged(was, ours, other);
      if (value === undefined) return undefined;
    } else return undefined;
    put(result, name, value);
  }
  return result;
}

/**
 * Merges sides that differ by members; `undefined` where that needs a decision: the same member was changed, or one side deleted the
 * document.
 */
function mergeFields({ base, mine, theirs }: DocumentConflict): OfflineDocument | undefined {
  // Without a base it is unknown which members were changed.
  if (base !== null && alike(base, mine)) return theirs;
  if (base === null || mine === null || theirs === null) return undefined;
  const result = merged(bare(base), bare(mine), bare(theirs));
  // The classes of values inside are no member that anybody changes.
  const [, ours, others] = [base, mine, theirs].map(
    (side) => (side[META] as JsonObject | undefined)?.[NESTED],
  );
  if (result && (ours || others))
    Object.assign(result[META] as object, { [NESTED]: Object.assign({}, others, ours) });
  return result;
}

/** What a rule makes of a conflict; `undefined`: the app is asked. */
export function applyRule(
  rule: MergeRule | undefined,
  conflict: DocumentConflict,
): OfflineDocument | undefined {
  // Both sides have the same result: the app need not decide.
  if (alike(conflict.mine, conflict.theirs)) return conflict.theirs;
  // Only its change vector is another one: the server has what the change began with.
  if (conflict.base !== null && alike(conflict.base, conflict.theirs)) return conflict.mine;
  if (rule === "lastWriter") return conflict.mine;
  if (rule === "fields") return mergeFields(conflict);
  if (!rule) return undefined;
  try {
    const given = rule(structuredClone(conflict));
    return given === undefined ? undefined : (JSON.parse(JSON.stringify(given)) as OfflineDocument);
  } catch {
    // The code of the app failed: the app is asked, which loses nothing.
    return undefined;
  }
}
