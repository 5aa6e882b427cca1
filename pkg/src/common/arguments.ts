// Arguments of public methods, in the forms that npm `ravendb` takes.

import { fail } from "./error.js";

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Whether a value is a text that is not blank and can be sent: half of a surrogate pair would become another character. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && !/\p{Surrogate}/u.test(value);
}

/** One id or several; blank ones and `null` are left out. */
export function idsOf(ids: unknown): string[] {
  const given: unknown[] = Array.isArray(ids) ? ids : [ids];
  const list = given.filter((id) => ((id ?? "") as { trim?: () => string }).trim?.() !== "");
  if (!list.every(isText)) fail("InvalidArgument", "load takes ids: texts without half of a surrogate pair");
  return list;
}

/** The options that are given: npm `ravendb` takes `null` for "not given". */
export function withoutNulls<Options extends object>(options: Options | null | undefined): Partial<Options> {
  const given = Object.entries(options ?? {}).filter(([, value]) => value !== null);
  return Object.fromEntries(given) as Partial<Options>;
}

/** Options, or a class alone in their place: itself, its name, or an object that describes it (`isType`). */
export function optionsOf<Options extends object>(given: unknown): Options {
  return (isObject(given) && !given.isType ? given : { documentType: given ?? undefined }) as Options;
}

/** Collects the paths of documents to include. */
export interface IncludesBuilder {
  includeDocuments(path: string): IncludesBuilder;
}

/** Paths of documents to include, given as one path, as several, or by a function that names them to a builder. */
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
