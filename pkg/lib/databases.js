// Databases of a server, for `store.maintenance.server`.

import { camel, upper } from "./camel.js";
import { fail } from "./error.js";
import { isObject } from "./given.js";
import { query } from "./listing.js";

/** An operation of one request. */
class ServerOperation {
  #request;
  #read;

  constructor(request, read = camel) {
    this.#request = request;
    this.#read = read;
  }

  getCommand() {
    const read = this.#read;
    return {
      request: this.#request,
      settle({ text }) {
        this.result = read(JSON.parse(text));
      },
    };
  }
}

/** Keys as the server writes them. */
function said(value) {
  if (Array.isArray(value)) return value.map(said);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [upper(name), said(inner)]));
}

/** `databaseRecord`: `{ databaseName, … }`. */
export class CreateDatabaseOperation extends ServerOperation {
  constructor(databaseRecord, replicationFactor) {
    if (typeof databaseRecord === "function")
      fail("Unsupported", "CreateDatabaseOperation takes a database record, { databaseName }, not a builder");
    const { databaseName: name, topology } = databaseRecord ?? {};
    if (!name) fail("InvalidOperation", "CreateDatabaseOperation needs a databaseName");
    const factor = replicationFactor || Math.max(topology?.replicationFactor ?? 1, 1);
    const parameters = query(Object.entries({ name, replicationFactor: factor }));
    super({ method: "PUT", route: `/admin/databases?${parameters}`, body: said(databaseRecord) });
  }
}

export class DeleteDatabasesOperation extends ServerOperation {
  constructor(parameters) {
    if (!parameters?.databaseNames?.length)
      fail("InvalidArgument", "DeleteDatabasesOperation needs databaseNames");
    const { shardNumber, ...rest } = parameters;
    const names = parameters.databaseNames.map((name) =>
      shardNumber === undefined || shardNumber === null ? name : `${name}$${shardNumber}`,
    );
    super({ method: "DELETE", route: "/admin/databases", body: said({ ...rest, databaseNames: names }) });
  }
}

export class GetDatabaseNamesOperation extends ServerOperation {
  constructor(start, pageSize) {
    const parameters = query(Object.entries({ start, pageSize, namesOnly: true }));
    super({ route: `/databases?${parameters}` }, ({ Databases }) => Databases);
  }
}
