// Operations on the databases of a server, for `store.maintenance.server.send`. They need an administrator.

import { fail } from "../common/error.js";
import { pascal } from "../common/member-case.js";
import { query } from "../wire/query-string.js";
import { members, SingleRequestOperation } from "./single-request.js";

/** The record of a database. */
export interface DatabaseRecord {
  databaseName: string;
  topology?: { replicationFactor?: number; members?: string[]; [name: string]: unknown };
  settings?: Record<string, string>;
  disabled?: boolean;
  encrypted?: boolean;
  [name: string]: unknown;
}

export interface DatabasePutResult {
  raftCommandIndex: number;
  name: string;
  topology: Record<string, unknown>;
  nodesAddedTo: string[];
  [name: string]: unknown;
}

/** Makes the record of a database; each method returns the builder. What it lacks can be said in a {@link DatabaseRecord}. */
export interface IDatabaseRecordBuilder {
  disabled(): this;
  encrypted(): this;
  withReplicationFactor(replicationFactor: number): this;
  withTopology(topology: NonNullable<DatabaseRecord["topology"]>): this;
  withSettings(settings: Record<string, string>): this;
  withLockMode(lockMode: string): this;
  configureClient(configuration: object): this;
  configureDocumentsCompression(configuration: object): this;
  configureExpiration(configuration: object): this;
  configureRefresh(configuration: object): this;
  configureRevisions(configuration: object): this;
  configureStudio(configuration: object): this;
  configureTimeSeries(configuration: object): this;
  toDatabaseRecord(): DatabaseRecord;
}

/** Begins the record of a database. */
export interface IDatabaseRecordBuilderInitializer {
  regular(databaseName: string): IDatabaseRecordBuilder;
  toDatabaseRecord(): DatabaseRecord;
}

/** Methods of npm `ravendb`'s builder whose part of the record this package cannot write. */
const ABSENT = [
  "sharded",
  "withAnalyzers",
  "withBackups",
  "withConnectionStrings",
  "withEtls",
  "withIndexes",
  "withIntegrations",
  "withReplication",
  "withSorters",
];

/** The record that a function of the app builds. */
function built(build: (builder: IDatabaseRecordBuilderInitializer) => void): DatabaseRecord {
  const record = {} as DatabaseRecord;
  const set = (part: Partial<DatabaseRecord>) => {
    for (const [name, value] of Object.entries(part))
      if (value == null) fail("InvalidArgument", `the ${name} of a database must not be null`);
    Object.assign(record, part);
    return builder;
  };
  const builder: IDatabaseRecordBuilder & IDatabaseRecordBuilderInitializer = {
    regular: (databaseName) => set({ databaseName }),
    disabled: () => set({ disabled: true }),
    encrypted: () => set({ encrypted: true }),
    withReplicationFactor: (replicationFactor) =>
      set({ topology: { ...record.topology, replicationFactor } }),
    withTopology(topology) {
      if (typeof topology === "function") fail("Unsupported", "withTopology takes a topology, not a builder");
      return set({ topology });
    },
    withSettings: (settings) => set({ settings }),
    withLockMode: (lockMode) => set({ lockMode }),
    configureClient: (client) => set({ client }),
    configureDocumentsCompression: (documentsCompression) => set({ documentsCompression }),
    configureExpiration: (expiration) => set({ expiration }),
    configureRefresh: (refresh) => set({ refresh }),
    configureRevisions: (revisions) => set({ revisions }),
    configureStudio: (studio) => set({ studio }),
    configureTimeSeries: (timeSeries) => set({ timeSeries }),
    toDatabaseRecord: () => record,
  };
  const refuse = (name: string) => () =>
    fail(
      "Unsupported",
      `the builder of a database record has no ${name}: pass a record, or npm ravendb, on a server`,
    );
  build(Object.assign(builder, Object.fromEntries(ABSENT.map((name) => [name, refuse(name)]))));
  return record;
}

/**
 * Creates a database.
 *
 * ```ts
 * await store.maintenance.server.send(new CreateDatabaseOperation({ databaseName: "Shop" }));
 * await store.maintenance.server.send(new CreateDatabaseOperation((builder) => builder.regular("Archive").disabled()));
 * ```
 */
export class CreateDatabaseOperation extends SingleRequestOperation<DatabasePutResult> {
  /**
   * @param replicationFactor The number of nodes; default: that of the record, or 1.
   * @throws {RavenEdgeError} `InvalidOperation` without a name; when sent: `Concurrency` if the database exists.
   */
  constructor(databaseRecord: DatabaseRecord, replicationFactor?: number);
  constructor(builder: (builder: IDatabaseRecordBuilderInitializer) => void);
  constructor(
    given: DatabaseRecord | ((builder: IDatabaseRecordBuilderInitializer) => void),
    replicationFactor?: number,
  ) {
    const databaseRecord: Partial<DatabaseRecord> =
      typeof given === "function" ? built(given) : (given ?? {});
    const { databaseName: name, topology, settings } = databaseRecord;
    if (!name) fail("InvalidOperation", "CreateDatabaseOperation needs a databaseName");
    const factor = replicationFactor || Math.max(topology?.replicationFactor ?? 1, 1);
    const parameters = query(Object.entries({ name, replicationFactor: factor }));
    // Names of settings are not members.
    const body = { ...(pascal(databaseRecord) as object), ...(settings && { Settings: settings }) };
    super({ method: "PUT", route: `/admin/databases?${parameters}`, body }, members);
  }
}

export interface DeleteDatabasesParameters {
  databaseNames: string[];
  /** Whether the files are deleted, too. */
  hardDelete: boolean;
  /** Deletes it only from these nodes; default: from all. */
  fromNodes?: string[];
  /** A .NET time span, such as `"00:00:15"`. */
  timeToWaitForConfirmation?: string | number;
  shardNumber?: number;
}

export interface DeleteDatabaseResult {
  raftCommandIndex: number;
  pendingDeletes: string[];
}

export class DeleteDatabasesOperation extends SingleRequestOperation<DeleteDatabaseResult> {
  /** @throws {RavenEdgeError} `InvalidArgument` without names. */
  constructor(parameters: DeleteDatabasesParameters) {
    if (!parameters?.databaseNames?.length)
      fail("InvalidArgument", "DeleteDatabasesOperation needs databaseNames");
    const { shardNumber, ...rest } = parameters;
    const databaseNames = parameters.databaseNames.map((name) =>
      shardNumber === undefined || shardNumber === null ? name : `${name}$${shardNumber}`,
    );
    const body = pascal({ ...rest, databaseNames });
    super({ method: "DELETE", route: "/admin/databases", body }, members);
  }
}

/** The names of databases, sorted. */
export class GetDatabaseNamesOperation extends SingleRequestOperation<string[]> {
  constructor(start?: number, pageSize?: number) {
    const parameters = query(Object.entries({ start, pageSize, namesOnly: true }));
    super({ route: `/databases?${parameters}` }, ({ Databases }: { Databases: string[] }) => Databases);
  }
}

/** The version of a server. */
export interface BuildNumber {
  productVersion: string;
  buildVersion: number;
  commitHash: string;
  fullVersion: string;
  assemblyVersion: string;
}

/** The version of the server, for `store.maintenance.server.send`. */
export class GetBuildNumberOperation extends SingleRequestOperation<BuildNumber> {
  constructor() {
    super({ route: "/build/version" }, members);
  }
}
