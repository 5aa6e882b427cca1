// What an app gives, in the ways in which it may.

import { fail } from "./error.js";

export function isObject(value) {
  return typeof value === "object" && value !== null;
}

/** Whether something is said that can be sent: half of a surrogate pair would become another character. */
export function isText(value) {
  return typeof value === "string" && value.trim() !== "" && !/\p{Surrogate}/u.test(value);
}

/** One id or several; blank ones ask for nothing. */
export function idsOf(ids) {
  const list = (Array.isArray(ids) ? ids : [ids]).filter((id) => (id ?? "").trim?.() !== "");
  if (!list.every(isText)) fail("InvalidArgument", "load takes ids: texts without half of a surrogate pair");
  return list;
}

/** The options that say something: npm `ravendb` takes `null` for "not given". */
export function said(options) {
  return Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== null));
}

/** Options, or a class alone in their place: itself, its name, or what describes an object. */
export function optionsOf(given) {
  return isObject(given) && !given.isType ? given : { documentType: given ?? undefined };
}

/** Includes as paths, or as a function that names them to a builder. */
export function paths(includes) {
  if (typeof includes !== "function") return [includes ?? []].flat();
  const found = [];
  const builder = {
    includeDocuments(path) {
      found.push(path);
      return builder;
    },
  };
  includes(builder);
  return found;
}
