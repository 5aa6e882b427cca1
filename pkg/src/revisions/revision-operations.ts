// Operations on revisions. Names and results are those of npm `ravendb`.

import { isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { camel, pascal } from "../common/member-case.js";
import type { DocumentType, Entity } from "../documents/entity-types.js";
import { EntityMapper } from "../documents/mapping/entity-mapper.js";
import type { OperationIdResult } from "../operations/operation-types.js";
import { CommandOperation, members, reading, SingleRequestOperation } from "../operations/single-request.js";
import type { DocumentConventions } from "../store/conventions.js";
import { query } from "../wire/query-string.js";

/** Which revisions of a collection are kept. */
export class RevisionsCollectionConfiguration {
  /** How many; default: all. The free licence allows 2. */
  declare minimumRevisionsToKeep?: number | undefined;
  /** For how long: a .NET time span, such as `"45.00:00:00"`. */
  declare minimumRevisionAgeToKeep?: string | undefined;
  declare disabled?: boolean | undefined;
  /** Whether they are deleted with their document. */
  declare purgeOnDelete?: boolean | undefined;
  /** The most that one save of a document deletes. */
  declare maximumRevisionsToDeleteUponDocumentUpdate?: number | undefined;
}

/** Of which collections the database makes revisions. */
export class RevisionsConfiguration {
  /** For collections without a configuration of their own; needs a licence. */
  declare defaultConfig?: RevisionsCollectionConfiguration | undefined;
  declare collections?: Map<string, RevisionsCollectionConfiguration> | undefined;
}

export class ConfigureRevisionsOperationResult {
  declare raftCommandIndex: number;
}

function configured(body: object): ConfigureRevisionsOperationResult {
  return Object.assign(new ConfigureRevisionsOperationResult(), camel(body));
}

/**
 * Configures revisions; for `store.maintenance.send`. It replaces the whole configuration.
 *
 * ```ts
 * const orders = Object.assign(new RevisionsCollectionConfiguration(), { minimumRevisionsToKeep: 2 });
 * const configuration = new RevisionsConfiguration();
 * configuration.collections = new Map([["Orders", orders]]);
 * await store.maintenance.send(new ConfigureRevisionsOperation(configuration));
 * ```
 */
export class ConfigureRevisionsOperation extends SingleRequestOperation<ConfigureRevisionsOperationResult> {
  /**
   * @throws {RavenEdgeError} `InvalidArgument` without a configuration; when sent: `Server`, named `LicenseLimitException`, for what the
   * licence does not allow.
   */
  constructor(configuration: RevisionsConfiguration) {
    if (!configuration) fail("InvalidArgument", "ConfigureRevisionsOperation needs a configuration");
    const { defaultConfig, collections } = configuration;
    // The names of collections are the app's.
    const all =
      collections && Object.fromEntries([...collections].map(([name, each]) => [name, pascal(each)]));
    const body = { Default: pascal(defaultConfig), Collections: all };
    super({ method: "POST", route: "admin/revisions/config", body }, configured);
  }
}

/** Configures revisions of conflicted documents; for `store.maintenance.server.send`. */
export class ConfigureRevisionsForConflictsOperation extends SingleRequestOperation<ConfigureRevisionsOperationResult> {
  /** @throws {RavenEdgeError} `InvalidArgument` without a database or a configuration. */
  constructor(database: string, configuration: RevisionsCollectionConfiguration) {
    if (!database || !configuration)
      fail("InvalidArgument", "ConfigureRevisionsForConflictsOperation needs a database and a configuration");
    const route = `/databases/${encodeURIComponent(database)}/admin/revisions/conflicts/config`;
    super({ method: "POST", route, body: pascal(configuration) }, configured);
  }
}

export interface EnforceRevisionsParameters {
  /** Whether revisions that were forced may be deleted, too. */
  includeForceCreated: boolean;
  /** Default: all. */
  collections?: string[] | undefined;
  /** The most documents per second. Default: no limit. */
  maxOpsPerSecond?: number | undefined;
}

/** Deletes the revisions that the configuration does not keep; for `store.operations.send`. The server goes on after the response. */
export class EnforceRevisionsConfigurationOperation extends SingleRequestOperation<OperationIdResult> {
  /** @throws {RavenEdgeError} `InvalidOperation` for a `maxOpsPerSecond` of 0 or less. */
  constructor(parameters: EnforceRevisionsParameters = { includeForceCreated: false }) {
    const { maxOpsPerSecond: rate } = parameters;
    if (rate != null && rate <= 0) fail("InvalidOperation", "maxOpsPerSecond is greater than 0");
    const request = { method: "POST", route: "admin/revisions/config/enforce", body: pascal(parameters) };
    super(request, members);
  }
}

export interface GetRevisionsParameters<T extends object> {
  documentType?: DocumentType<T> | undefined;
  start?: number | undefined;
  /** Default: all. */
  pageSize?: number | undefined;
}

/** Revisions, and how many there are. */
export class RevisionsResult<T> {
  declare results: T[];
  declare totalResults: number;
}

/** As the server sends them. */
interface Listed {
  Results: (Entity | null)[];
  TotalResults: number;
}

/** Reads the revisions of a document, newest first; for `store.operations.send`. */
export class GetRevisionsOperation<T extends object> extends CommandOperation<
  RevisionsResult<T>,
  [conventions: DocumentConventions]
> {
  /** @throws {RavenEdgeError} `InvalidArgument` without an id. */
  constructor(id: string, { start, pageSize, documentType }: GetRevisionsParameters<T> = {}) {
    if (!isText(id)) fail("InvalidArgument", "GetRevisionsOperation needs the id of a document");
    const parameters = query(Object.entries({ id, start: start ?? 0, pageSize }));
    super((conventions) => {
      const type = conventions.classOf(documentType);
      const mapper = new EntityMapper(conventions);
      const read = ({ Results, TotalResults: totalResults }: Listed) => {
        const results = Results.flatMap((document) => (document ? [mapper.entity(document, type)] : []));
        return Object.assign(new RevisionsResult<T>(), { results, totalResults }) as RevisionsResult<T>;
      };
      return reading({ route: `revisions?${parameters}` }, read);
    });
  }
}
