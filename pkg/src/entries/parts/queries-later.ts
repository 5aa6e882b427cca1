// What queries load when it is first used. A file of its own: esbuild splits by the imports of a file, also those that an app leaves out.

/** Of queries. */
export const QUERIES = {
  rql: () => import("../../rql/render.js"),
  stream: () => import("../../stream/document-iterator.js"),
};

/** What few queries use. */
export const EXTRAS = {
  extras: () => import("../../query-extras/extras.js"),
  named: () => import("../../named/named-calls.js"),
};
