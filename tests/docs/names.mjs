// The public names of npm `ravendb`, and which of them this package has, according to both packages' exports, objects
// and types.

import * as theirs from "ravendb";
import * as ours from "../../pkg/lib/entries/node.js";
import { root } from "../support/root.mjs";
import { TYPES } from "./names-page.mjs";
import { isPublic, typingsOf } from "./typings.mjs";

/** What the types of a package contain: exported names, and the public members of one of them. */
function typesOf(file) {
  const { checker, exported } = typingsOf(file);
  const members = (name) => {
    const symbol = exported.get(name);
    if (!symbol) return [];
    const properties = checker.getDeclaredTypeOfSymbol(symbol).getProperties();
    return properties.filter(isPublic).map(({ name }) => name);
  };
  return { names: [...exported.keys()], members };
}

const types = {
  theirs: typesOf(`${root}node_modules/ravendb/dist/esm/index.d.ts`),
  ours: typesOf(`${root}pkg/index.d.ts`),
};

/** Names beginning with `_` are private to npm `ravendb`; `__@` are symbols. */
const isName = (name) => !/^(_|#|constructor$)/.test(name);

/** The members of an object and of its classes. */
function membersOf(object) {
  const found = new Set();
  for (let at = object; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) found.add(name);
  return [...found];
}

/** The objects of a package whose members programs use. */
function objects({ DocumentStore, ...exports }) {
  const store = new DocumentStore("http://127.0.0.1:1", "Shop");
  const { conventions } = store;
  store.initialize();
  const session = store.openSession();
  const { advanced } = session;
  const query = session.query({ collection: "Orders" });
  return {
    store,
    exports: { DocumentStore, ...exports },
    DocumentStore: store,
    "session.advanced": advanced,
    session,
    lazily: advanced.lazily,
    eagerly: advanced.eagerly,
    conventions,
    query,
    rawQuery: advanced.rawQuery("from Orders"),
    groupBy: session.query({ collection: "Orders" }).groupBy("customer"),
    getRequestExecutor: store.getRequestExecutor(),
    maintenance: store.maintenance,
    operations: store.operations,
  };
}

export const objectsOf = { theirs: objects(theirs), ours: objects(ours) };

/** Events exist at run time only while something happens, so only types list them. */
export const EVENTS = types.theirs.names.filter(
  (name) => /EventArgs$/.test(name) && name !== "UnhandledActionEventArgs",
);

/** All public names of npm `ravendb`, by object. */
export const npm = { exports: types.theirs.names };
for (const name of Object.keys(objectsOf.theirs.exports))
  if (!npm.exports.includes(name)) npm.exports.push(name);
for (const [of, names] of Object.entries(TYPES)) {
  const typed = names.flatMap((name) => types.theirs.members(name));
  // A session is its own `advanced`, and its executor of eager operations.
  const own = ["session", "eagerly"].includes(of) ? [] : membersOf(objectsOf.theirs[of]);
  npm[of] = [...new Set([...typed, ...own])].filter(isName);
}
npm["session.advanced"] = npm["session.advanced"].filter((name) => !npm.session.includes(name));
npm.rawQuery = npm.rawQuery.filter((name) => !npm.query.includes(name));
for (const event of EVENTS) npm[event] = types.theirs.members(event).filter(isName);

/** Whether reading a member, or calling it if our types lack it, throws an error that says it is absent. */
function isRefused(of, object, name) {
  try {
    const member = object[name];
    if (typeof member === "function" && !isTyped(of, name)) member.call(object);
    return false;
  } catch (error) {
    return error.code === "Unsupported";
  }
}

const typedOfOurs = {
  DocumentStore: "DocumentStore",
  session: "DocumentSession",
  "session.advanced": "AdvancedSession",
  lazily: "LazySessionOperations",
  eagerly: "EagerSessionOperations",
  conventions: "DocumentConventions",
  query: "DocumentQuery",
  rawQuery: "RawDocumentQuery",
  groupBy: "GroupByDocumentQuery",
  getRequestExecutor: "RequestExecutor",
  maintenance: "MaintenanceOperationExecutor",
  operations: "OperationExecutor",
};

/** What this package has for a name: `value`, `type` (no value at run time), or nothing. */
export function here(of, name) {
  const object = objectsOf.ours[of];
  if (object && name in object && !isRefused(of, object, name)) return "value";
  const typed = of === "exports" ? types.ours.names : EVENTS.includes(of) ? types.ours.members(of) : [];
  return typed.includes(name) ? "type" : undefined;
}

/** What npm `ravendb` has for it. */
export function there(of, name) {
  const object = objectsOf.theirs[of];
  return object && name in object ? "value" : "type";
}

/** Whether our types have a member. */
export const isTyped = (of, name) =>
  of === "exports"
    ? types.ours.names.includes(name)
    : types.ours.members(typedOfOurs[of] ?? of).includes(name);

/** Disposes the stores. */
export const dispose = () => Promise.all(Object.values(objectsOf).map(async ({ store }) => store.dispose()));
