// What an app has the server do with indexes. Names, arguments and results are those of npm `ravendb`.

import { camel, upper } from "../camel.js";
import { fail } from "../error.js";
import { isObject, isText } from "../given.js";
import { query } from "../listing.js";
import { dateOf } from "../types.js";
import { IndexDefinition, IndexDefinitionHelper } from "./definition.js";

/** An operation of one request; `read` makes the result of the response, if there is one. */
class IndexOperation {
  #request;
  #read;

  constructor(request, read = () => undefined) {
    this.#request = request;
    this.#read = read;
  }

  getCommand() {
    const read = this.#read;
    return {
      request: this.#request,
      settle({ text }) {
        this.result = read(text && JSON.parse(text));
      },
    };
  }
}

const results = ({ Results }) => camel(Results);

/** The name of an index, which has to be there. */
function named(name) {
  if (!isText(name)) fail("InvalidArgument", "the operation needs the name of an index");
  return name;
}

/** A route with its parameters. */
const route = (path, parameters) => [path, query(parameters)].filter(Boolean).join("?");

/** The same operation may be sent again when its response is lost: it says what is to be, not what is to change. */
const again = (method, path, body) => ({ method, route: path, body, safe: true });

/** Keys as the server writes them; those below `fields` are names of the app. */
function said(value, isNames = false) {
  if (value instanceof Set) return [...value];
  if (Array.isArray(value)) return value.map((item) => said(item));
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => name !== "indexType" && name !== "conventions");
  return Object.fromEntries(
    members.map(([name, inner]) => [
      isNames ? name : upper(name),
      said(inner, !isNames && name === "fields"),
    ]),
  );
}

/** The server wants administrators for C#, which runs as it is. */
function isJavaScript({ maps, reduce }) {
  const [map] = maps ?? [];
  return IndexDefinitionHelper.detectStaticIndexType(map, reduce).startsWith("JavaScript");
}

/** Deploys indexes in one request. */
export class PutIndexesOperation {
  #definitions;

  constructor(...indexToAdd) {
    if (indexToAdd.length === 0) fail("InvalidArgument", "PutIndexesOperation needs an index");
    this.#definitions = indexToAdd;
  }

  getCommand() {
    for (const { name } of this.#definitions) named(name);
    const path = this.#definitions.every(isJavaScript) ? "indexes" : "admin/indexes";
    const body = { Indexes: this.#definitions.map((definition) => said(definition)) };
    return new IndexOperation(again("PUT", path, body), results).getCommand();
  }
}

/** Whether the server's index of that name is another one, or missing. */
export class IndexHasChangedOperation {
  #definition;

  constructor(definition) {
    if (!definition) fail("InvalidArgument", "IndexHasChangedOperation needs the definition of an index");
    this.#definition = definition;
  }

  getCommand() {
    const request = again("POST", "indexes/has-changed", said(this.#definition));
    return new IndexOperation(request, ({ Changed }) => Changed).getCommand();
  }
}

const page = (start, pageSize) => [
  ["start", start],
  ["pageSize", pageSize],
];

export class GetIndexNamesOperation extends IndexOperation {
  constructor(start, pageSize) {
    const parameters = [...page(start, pageSize), ["namesOnly", true]];
    super({ route: route("indexes", parameters) }, results);
  }
}

/** A definition as the app writes it: members begin in lower case, names of fields and settings stay. */
function definition({ Fields, Configuration, Maps, ...rest }) {
  const options = Object.entries(Fields ?? {}).map(([name, value]) => [name, camel(value)]);
  return Object.assign(new IndexDefinition(), camel(rest), {
    fields: Object.fromEntries(options),
    configuration: Configuration ?? {},
    maps: new Set(Maps),
  });
}

const definitions = ({ Results }) => Results.map(definition);

export class GetIndexesOperation extends IndexOperation {
  constructor(start, pageSize) {
    super({ route: route("indexes", page(start, pageSize)) }, definitions);
  }
}

export class GetIndexOperation extends IndexOperation {
  constructor(indexName) {
    const request = { route: route("indexes", [["name", named(indexName)]]) };
    super(request, (response) => (response ? definitions(response)[0] : undefined));
  }
}

/** How far an index is; its collections by their own names. */
function statistics({ Collections, ...rest }) {
  const collections = Object.entries(Collections ?? {}).map(([name, value]) => [name, camel(value)]);
  return { ...camel(rest), collections: new Map(collections) };
}

export class GetIndexesStatisticsOperation extends IndexOperation {
  constructor() {
    super({ route: "indexes/stats" }, ({ Results }) => Results.map(statistics));
  }
}

export class GetIndexStatisticsOperation extends IndexOperation {
  constructor(indexName) {
    const request = { route: route("indexes/stats", [["name", named(indexName)]]) };
    super(request, (response) => {
      if (!response?.Results?.[0]) fail("InvalidOperation", `there is no index ${indexName}`);
      return statistics(response.Results[0]);
    });
  }
}

/** Each name as a parameter. */
const names = (indexNames) => (indexNames ?? []).map((name) => ["name", name]);

export class GetIndexErrorsOperation extends IndexOperation {
  constructor(indexNames) {
    super({ route: route("indexes/errors", names(indexNames)) }, (response) =>
      results(response).map(({ errors, ...rest }) => ({
        ...rest,
        errors: errors.map((error) => ({ ...error, timestamp: dateOf(error.timestamp) })),
      })),
    );
  }
}

export class DeleteIndexErrorsOperation extends IndexOperation {
  constructor(indexNames) {
    super({ method: "DELETE", route: route("indexes/errors", names(indexNames)) });
  }
}

export class GetIndexingStatusOperation extends IndexOperation {
  constructor() {
    super({ route: "indexes/status" }, camel);
  }
}

/** The terms of a field in an index, in their order, after `fromValue`. */
export class GetTermsOperation extends IndexOperation {
  constructor(indexName, field, fromValue, pageSize) {
    if (!isText(field)) fail("InvalidArgument", "GetTermsOperation needs a field");
    const parameters = {
      name: named(indexName),
      field,
      fromValue: fromValue || "",
      pageSize: pageSize || "",
    };
    super({ route: route("indexes/terms", Object.entries(parameters)) }, ({ Terms }) => Terms);
  }
}

export class DeleteIndexOperation extends IndexOperation {
  constructor(indexName) {
    super(again("DELETE", route("indexes", [["name", named(indexName)]])));
  }
}

/** Has the server build the index anew. */
export class ResetIndexOperation extends IndexOperation {
  constructor(indexName) {
    super({ method: "RESET", route: route("indexes", [["name", named(indexName)]]) });
  }
}

/** Starts or stops what one node does; without a name all of its indexes. */
const switched = (verb, ...parameters) => ({
  method: "POST",
  route: route(`admin/indexes/${verb}`, parameters),
});

export class StartIndexOperation extends IndexOperation {
  constructor(indexName) {
    super(switched("start", ["name", named(indexName)]));
  }
}

export class StopIndexOperation extends IndexOperation {
  constructor(indexName) {
    super(switched("stop", ["name", named(indexName)]));
  }
}

export class StartIndexingOperation extends IndexOperation {
  constructor() {
    super(switched("start"));
  }
}

export class StopIndexingOperation extends IndexOperation {
  constructor() {
    super(switched("stop"));
  }
}

export class EnableIndexOperation extends IndexOperation {
  constructor(indexName, clusterWide = false) {
    super(switched("enable", ["name", named(indexName)], ["clusterWide", clusterWide]));
  }
}

export class DisableIndexOperation extends IndexOperation {
  constructor(indexName, clusterWide = false) {
    super(switched("disable", ["name", named(indexName)], ["clusterWide", clusterWide]));
  }
}

/** A setting of one index by name, or of several by `{ indexNames, … }`. */
function setting(member, given, value) {
  const { indexNames, [member]: chosen } =
    typeof given === "string" ? { indexNames: [named(given)], [member]: value } : (given ?? {});
  if (!indexNames?.length) fail("InvalidArgument", "the operation needs indexNames");
  return { IndexNames: indexNames, [upper(member)]: chosen };
}

export class SetIndexesLockOperation extends IndexOperation {
  constructor(parametersOrIndexName, mode) {
    const body = setting("mode", parametersOrIndexName, mode);
    if (body.IndexNames.some((name) => name.toLowerCase().startsWith("auto/")))
      fail("InvalidArgument", "indexes that the server made itself (Auto/…) have no lock mode");
    super(again("POST", "indexes/set-lock", body));
  }
}

export class SetIndexesPriorityOperation extends IndexOperation {
  constructor(parametersOrIndexName, priority) {
    super(again("POST", "indexes/set-priority", setting("priority", parametersOrIndexName, priority)));
  }
}
