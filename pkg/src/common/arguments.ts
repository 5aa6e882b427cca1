// Arguments of public methods, in the forms that npm `ravendb` takes.

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

/** Collects the paths of documents to include. */
export interface IncludesBuilder {
  includeDocuments(path: string): IncludesBuilder;
}

/** Paths of documents to include: one path, several, or a function that passes them to a builder. */
export function paths(includes?: string | string[] | ((builder: IncludesBuilder) => void) | null): string[] {
  if (typeof includes !== "function") return [includes ?? []].flat();
  const found: string[] = [];
  const builder: IncludesBuilder = {
    includeDocuments(path) {
      found.push(path);
      return builder;
    },
  };
  includes(builder);
  return found;
}
