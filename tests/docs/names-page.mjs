// The rows of docs/moving-names.md.
import { readFileSync } from "node:fs";

/** The members that the page has for an object: those of these types of npm `ravendb`; for `session` only those of its interface. */
export const TYPES = {
  DocumentStore: ["DocumentStore", "IDocumentStore"],
  session: ["IDocumentSession"],
  "session.advanced": ["IAdvancedSessionOperations", "DocumentSession"],
  lazily: ["ILazySessionOperations", "LazySessionOperations"],
  eagerly: ["IEagerSessionOperations"],
  conventions: ["DocumentConventions"],
  query: ["DocumentQuery", "IDocumentQuery"],
  rawQuery: ["RawDocumentQuery", "IRawDocumentQuery"],
  groupBy: ["GroupByDocumentQuery"],
  getRequestExecutor: ["RequestExecutor"],
  maintenance: ["MaintenanceOperationExecutor"],
  operations: ["SessionOperationExecutor"],
};

/** The objects that headings describe, if the heading is not their name. */
const OF = {
  Exports: "exports",
  DocumentSession: "session",
  "advanced.lazily": "lazily",
  "advanced.eagerly": "eagerly",
  DocumentQuery: "query",
  RawDocumentQuery: "rawQuery",
  GroupByDocumentQuery: "groupBy",
  RequestExecutor: "getRequestExecutor",
  "store.maintenance": "maintenance",
  "store.operations": "operations",
};

const MEMBERS = "Members of classes and types";

/** Rows as `{ verdict, names, text }`, by object. */
export const listed = {};
const page = readFileSync(new URL("../../docs/moving-names.md", import.meta.url), "utf8");
for (const chapter of page.split(/\n##+ /).slice(1)) {
  const heading = chapter.split("\n")[0];
  const rows = chapter.split("\n").filter((line) => /^\| (same|different|absent)\b/.test(line));
  if (rows.length === 0) continue;
  listed[OF[heading] ?? heading] = rows.map((row) => {
    const [, here, names, text] = row.split("|").map((cell) => cell.trim());
    const verdict = here.split(":")[0];
    return { verdict, names: [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name), text };
  });
}

/** Members of classes that are the same, with which npm `ravendb` does its own work: `member`, or `Class.member`. */
export const internal = listed[MEMBERS].flatMap(({ names }) => names);
delete listed[MEMBERS];

/** The names of an object that the page calls the same. */
export const same = (of) =>
  listed[of].filter(({ verdict }) => verdict === "same").flatMap(({ names }) => names);
