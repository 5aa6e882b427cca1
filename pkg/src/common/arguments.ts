// Arguments of public methods, in the forms that npm `ravendb` takes. Names are checked: a misspelt one would be ignored without an error.

import { fail } from "./error.js";

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Whether a value is a text that is not blank and has no lone surrogate, which would become another character when it is sent. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && !/\p{Surrogate}/u.test(value);
}

/** One id or several; blank ones and `null` are left out. */
export function idsOf(ids: unknown): string[] {
  const given: unknown[] = Array.isArray(ids) ? ids : [ids];
  const list = given.filter((id) => ((id ?? "") as { trim?: () => string }).trim?.() !== "");
  if (!list.every(isText)) fail("InvalidArgument", "load takes ids without lone surrogates");
  return list;
}

/** The options without those that are `null`, which npm `ravendb` treats as absent. */
export function withoutNulls<Options extends object>(options: Options | null | undefined): Partial<Options> {
  const given = Object.entries(options ?? {}).filter(([, value]) => value !== null);
  return Object.fromEntries(given) as Partial<Options>;
}

/** Options. The app may pass a class instead: itself, its registered name, or an object that describes it (`isType`). */
export function optionsOf<Options extends object>(given: unknown): Options {
  return (isObject(given) && !given.isType ? given : { documentType: given ?? undefined }) as Options;
}

/** A call of an include builder: `include` for documents, else the name of its method. */
export type IncludeCall = [method: string, ...given: unknown[]];

/** What is included with documents: a path to ids of others, several, or a function that calls a builder. */
export function includeCalls(
  includes?: string | string[] | ((builder: never) => void) | null,
): IncludeCall[] {
  if (typeof includes !== "function") return [includes ?? []].flat().map((path) => ["include", path]);
  const calls: IncludeCall[] = [];
  const get = (_: object, method: string | symbol) => {
    if (typeof method !== "string" || !/^include./.test(method)) return;
    return (...given: unknown[]) => {
      calls.push([method.replace("Documents", ""), ...given]);
      return builder;
    };
  };
  const builder = new Proxy({}, { get }) as never;
  includes(builder);
  return calls;
}

/** The number of characters that two names have in common at the beginning and at the end. */
function likeness(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < most - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  return head + tail;
}

/** Throws if a name is not a known one; the message suggests the nearest. `what`: the kind of thing that is named. */
export function checkName(what: string, name: unknown, known: readonly string[]): void {
  if (known.includes(name as string)) return;
  const text = String(name);
  const [nearest = ""] = [...known].sort((a, b) => likeness(text, b) - likeness(text, a));
  const isTypo = 2 * likeness(text, nearest) > text.length;
  fail(
    "InvalidArgument",
    `there is no ${what} "${text}"${isTypo ? `: did you mean "${nearest}"?` : `, but ${known.join(", ")}`}`,
  );
}

/** The type of a list of all options. Does not compile if `Options` has one that the list lacks. */
export type AllNames<Options, List extends readonly PropertyKey[]> = keyof Options extends List[number]
  ? readonly string[]
  : never;

/** Refuses unknown names of an object: all whose value is not `undefined`. */
export function checkNames(what: string, given: object | null | undefined, known: readonly string[]): void {
  for (const name in given) if (given[name as keyof typeof given] !== undefined) checkName(what, name, known);
}
