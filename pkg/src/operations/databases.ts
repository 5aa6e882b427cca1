// Operations on the databases of a server, for `store.maintenance.server.send`. They need an administrator.

import { fail } from "../common/error.js";
import { camel, pascal } from "../common/member-case.js";
import { query } from "../wire/query-string.js";
import { SingleRequestOperation } from "./single-request.js";

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

/**
 * Creates a database.
 *
 * ```ts
 * await store.maintenance.server.send(new CreateDatabaseOperation({ databaseName: "Shop" }));
 * ```
 */
export class CreateDatabaseOperation extends SingleRequestOperation<DatabasePutResult> {
  /**
   * @param replicationFactor The number of nodes; default: that of the record, or 1.
   * @throws {RavenEdgeError} `InvalidOperation` without a name; when sent: `Concurrency` if the database exists.
   */
  constructor(databaseRecord: DatabaseRecord, replicationFactor?: number) {
    if (typeof databaseRecord === "function")
      fail("Unsupported", "CreateDatabaseOperation takes a database record, { databaseName }, not a builder");
    const { databaseName: name, topology }: Partial<DatabaseRecord> = databaseRecord ?? {};
    if (!name) fail("InvalidOperation", "CreateDatabaseOperation needs a databaseName");
    const factor = replicationFactor || Math.max(topology?.replicationFactor ?? 1, 1);
    const parameters = query(Object.entries({ name, replicationFactor: factor }));
    const body = pascal(databaseRecord);
    super(
      { method: "PUT", route: `/admin/databases?${parameters}`, body },
      camel as (body: never) => DatabasePutResult,
    );
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
    super(
      { method: "DELETE", route: "/admin/databases", body },
      camel as (body: never) => DeleteDatabaseResult,
    );
  }
}

/** The names of databases, sorted. */
export class GetDatabaseNamesOperation extends SingleRequestOperation<string[]> {
  constructor(start?: number, pageSize?: number) {
    const parameters = query(Object.entries({ start, pageSize, namesOnly: true }));
    super({ route: `/databases?${parameters}` }, ({ Databases }: { Databases: string[] }) => Databases);
  }
}
