// What an app gives, in the ways in which it may.

export function isObject(value) {
  return typeof value === "object" && value !== null;
}

/** Whether something is said. */
export function isText(value) {
  return typeof value === "string" && value.trim() !== "";
}

/** Options, or a class alone in their place. */
export function optionsOf(given) {
  return typeof given === "function" ? { documentType: given } : (given ?? {});
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
