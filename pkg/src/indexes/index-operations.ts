// Operations on the definitions of indexes, and those that start and stop indexes and change their settings, for `store.maintenance.send`. Names,
// arguments and results are those of npm `ravendb`. The constructors throw `InvalidArgument` for a blank name or a missing definition.

import { isObject, isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { camel, upper } from "../common/member-case.js";
import { collectionOf } from "../common/value-kinds.js";
import type { CommandRequest } from "../operations/operation-types.js";
import { SingleRequestOperation } from "../operations/single-request.js";
import {
  IndexDefinition,
  IndexDefinitionHelper,
  type IndexLockMode,
  type IndexPriority,
} from "./definition.js";
import { again, named, route } from "./index-requests.js";

/** A response with a list. */
interface Listed {
  Results: Record<string, unknown>[];
}

/** The list of a response. Its members begin with a lower-case letter. */
const results = ({ Results }: Listed) => camel(Results);

/** A definition as the server reads it: members are named as the server names them; members of `fields` keep the app's names. */
function definitionBody(value: unknown, isNames = false): unknown {
  if (collectionOf(value) === "Set") return [...(value as Set<unknown>)];
  if (Array.isArray(value)) return value.map((item) => definitionBody(item));
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => name !== "indexType" && name !== "conventions");
  return Object.fromEntries(
    members.map(([name, inner]) => [
      isNames ? name : upper(name),
      definitionBody(inner, !isNames && name === "fields"),
    ]),
  );
}

/** C# code needs an administrator, because the server runs it unrestricted. */
function isJavaScript({ maps, reduce }: IndexDefinition): boolean {
  const [map] = maps ?? [];
  return IndexDefinitionHelper.detectStaticIndexType(map, reduce).startsWith("JavaScript");
}

/** The result of sending a definition. */
export interface PutIndexResult {
  index: string;
  raftCommandIndex: number;
}

/**
 * Deploys indexes in one request (`PUT indexes`, or `PUT admin/indexes` if one is in C#). An existing index with the same definition
 * is kept. Another definition replaces an existing index once its own index is up to date.
 */
export class PutIndexesOperation extends SingleRequestOperation<PutIndexResult[]> {
  constructor(...indexToAdd: IndexDefinition[]) {
    if (indexToAdd.length === 0) fail("InvalidArgument", "PutIndexesOperation needs an index");
    const request = () => {
      for (const { name } of indexToAdd) named(name);
      const path = indexToAdd.every(isJavaScript) ? "indexes" : "admin/indexes";
      return again("PUT", path, { Indexes: indexToAdd.map((definition) => definitionBody(definition)) });
    };
    super(request, (response: Listed) => results(response) as PutIndexResult[]);
  }
}

/** Whether the server has no index with this name, or one with another definition. */
export class IndexHasChangedOperation extends SingleRequestOperation<boolean> {
  constructor(definition: IndexDefinition) {
    if (!definition) fail("InvalidArgument", "IndexHasChangedOperation needs the definition of an index");
    const request = () => again("POST", "indexes/has-changed", definitionBody(definition));
    super(request, ({ Changed }: { Changed: boolean }) => Changed);
  }
}

export class GetIndexNamesOperation extends SingleRequestOperation<string[]> {
  constructor(start?: number, pageSize?: number) {
    const parameters = Object.entries({ start, pageSize, namesOnly: true });
    super({ route: route("indexes", parameters) }, (response: Listed) => results(response) as string[]);
  }
}

/** A definition with the server's names of members. */
interface WrittenDefinition {
  Fields?: Record<string, unknown>;
  Configuration?: Record<string, string>;
  Maps?: string[];
}

/** A definition with the app's names: members begin with a lower-case letter, names of fields and settings are unchanged. */
function definition({ Fields, Configuration, Maps, ...rest }: WrittenDefinition): IndexDefinition {
  const options = Object.entries(Fields ?? {}).map(([name, value]) => [name, camel(value)]);
  return Object.assign(new IndexDefinition(), camel(rest), {
    fields: Object.fromEntries(options),
    configuration: Configuration ?? {},
    maps: new Set(Maps),
  });
}

const definitions = ({ Results }: Listed) => Results.map(definition);

export class GetIndexesOperation extends SingleRequestOperation<IndexDefinition[]> {
  constructor(start?: number, pageSize?: number) {
    super({ route: route("indexes", Object.entries({ start, pageSize })) }, definitions);
  }
}

/** The definition of an index; `undefined` if there is no such index. */
export class GetIndexOperation extends SingleRequestOperation<IndexDefinition> {
  constructor(indexName: string) {
    // The type is that of npm `ravendb`.
    const read = (response: Listed | "") =>
      (response ? definitions(response)[0] : undefined) as IndexDefinition;
    super({ route: route("indexes", [["name", named(indexName)]]) }, read);
  }
}

/** The terms of a field in order; only terms after `fromValue`. */
export class GetTermsOperation extends SingleRequestOperation<string[]> {
  constructor(indexName: string, field: string, fromValue?: string | null, pageSize?: number | null) {
    if (!isText(field)) fail("InvalidArgument", "GetTermsOperation needs a field");
    const parameters = {
      name: named(indexName),
      field,
      fromValue: fromValue || "",
      pageSize: pageSize || "",
    };
    const request = { route: route("indexes/terms", Object.entries(parameters)) };
    super(request, ({ Terms }: { Terms: string[] }) => Terms);
  }
}

/** Deletes an index, if there is one. */
export class DeleteIndexOperation extends SingleRequestOperation<void> {
  constructor(indexName: string) {
    super(again("DELETE", route("indexes", [["name", named(indexName)]])));
  }
}

/** Builds an index again from the start (HTTP method `RESET`, which proxies that run in Node refuse). */
export class ResetIndexOperation extends SingleRequestOperation<void> {
  constructor(indexName: string) {
    super({ method: "RESET", route: route("indexes", [["name", named(indexName)]]) });
  }
}

/** Starts or stops one index on one node, or all of its indexes without a name. */
const switched = (verb: string, ...parameters: [string, unknown][]): CommandRequest => ({
  method: "POST",
  route: route(`admin/indexes/${verb}`, parameters),
});

/** Resumes an index on the node that gets the request. */
export class StartIndexOperation extends SingleRequestOperation<void> {
  constructor(indexName: string) {
    super(switched("start", ["name", named(indexName)]));
  }
}

/** Pauses an index on the node that gets the request, until the node restarts. */
export class StopIndexOperation extends SingleRequestOperation<void> {
  constructor(indexName: string) {
    super(switched("stop", ["name", named(indexName)]));
  }
}

/** {@link StartIndexOperation} for all indexes of the database. */
export class StartIndexingOperation extends SingleRequestOperation<void> {
  constructor() {
    super(switched("start"));
  }
}

/** {@link StopIndexOperation} for all indexes of the database. */
export class StopIndexingOperation extends SingleRequestOperation<void> {
  constructor() {
    super(switched("stop"));
  }
}

/** Enables an index, also after a restart. `clusterWide`: on all nodes; default `false`. */
export class EnableIndexOperation extends SingleRequestOperation<void> {
  constructor(indexName: string, clusterWide = false) {
    super(switched("enable", ["name", named(indexName)], ["clusterWide", clusterWide]));
  }
}

/** Disables an index, also after a restart. `clusterWide`: on all nodes; default `false`. */
export class DisableIndexOperation extends SingleRequestOperation<void> {
  constructor(indexName: string, clusterWide = false) {
    super(switched("disable", ["name", named(indexName)], ["clusterWide", clusterWide]));
  }
}

/** Changes a setting of one index by name, or of several by `{ indexNames, … }`. */
function setting(
  member: "mode" | "priority",
  given: string | { indexNames: string[]; mode?: string; priority?: string },
  value: string | undefined,
): { IndexNames: string[]; [setting: string]: unknown } {
  const { indexNames, [member]: chosen } =
    typeof given === "string" ? { indexNames: [named(given)], [member]: value } : (given ?? {});
  if (!indexNames?.length) fail("InvalidArgument", "the operation needs indexNames");
  return { IndexNames: indexNames, [upper(member)]: chosen };
}

export interface SetIndexesLockOperationParameters {
  indexNames: string[];
  mode: IndexLockMode;
}

/** Throws `InvalidArgument` for indexes that the server has made (`Auto/…`). */
export class SetIndexesLockOperation extends SingleRequestOperation<void> {
  constructor(indexName: string, mode: IndexLockMode);
  constructor(parameters: SetIndexesLockOperationParameters);
  constructor(parametersOrIndexName: string | SetIndexesLockOperationParameters, mode?: IndexLockMode) {
    const body = setting("mode", parametersOrIndexName, mode);
    if (body.IndexNames.some((name) => name.toLowerCase().startsWith("auto/")))
      fail("InvalidArgument", "indexes that the server made itself (Auto/…) have no lock mode");
    super(again("POST", "indexes/set-lock", body));
  }
}

export interface SetIndexesPriorityOperationParameters {
  indexNames: string[];
  priority: IndexPriority;
}

export class SetIndexesPriorityOperation extends SingleRequestOperation<void> {
  constructor(indexName: string, priority: IndexPriority);
  constructor(parameters: SetIndexesPriorityOperationParameters);
  constructor(
    parametersOrIndexName: string | SetIndexesPriorityOperationParameters,
    priority?: IndexPriority,
  ) {
    super(again("POST", "indexes/set-priority", setting("priority", parametersOrIndexName, priority)));
  }
}
