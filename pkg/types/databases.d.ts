// Databases of a server, for `store.maintenance.server.send`. The server wants an administrator.

import type { RavenCommand } from "./commands.js";
import type { DocumentConventions } from "./conventions.js";
import type { RavenOperation } from "./operations.js";

/** What a database is to be. */
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
export class CreateDatabaseOperation implements RavenOperation<DatabasePutResult> {
  /**
   * @param replicationFactor On how many nodes; default: as the record says, or 1.
   * @throws {RavenEdgeError} `InvalidOperation` without a name; when sent: `Concurrency` where there is such a database.
   */
  constructor(databaseRecord: DatabaseRecord, replicationFactor?: number);
  getCommand(conventions?: DocumentConventions): RavenCommand<DatabasePutResult>;
}

export interface DeleteDatabasesParameters {
  databaseNames: string[];
  /** Whether the files go, too. */
  hardDelete: boolean;
  /** From these nodes alone; default: all. */
  fromNodes?: string[];
  /** A .NET time span, such as `"00:00:15"`. */
  timeToWaitForConfirmation?: string | number;
  shardNumber?: number;
}

export interface DeleteDatabaseResult {
  raftCommandIndex: number;
  pendingDeletes: string[];
}

export class DeleteDatabasesOperation implements RavenOperation<DeleteDatabaseResult> {
  /** @throws {RavenEdgeError} `InvalidArgument` without names. */
  constructor(parameters: DeleteDatabasesParameters);
  getCommand(conventions?: DocumentConventions): RavenCommand<DeleteDatabaseResult>;
}

/** Names of databases, in their order. */
export class GetDatabaseNamesOperation implements RavenOperation<string[]> {
  constructor(start?: number, pageSize?: number);
  getCommand(conventions?: DocumentConventions): RavenCommand<string[]>;
}
