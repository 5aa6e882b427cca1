// The servers of the environment, databases on them, and requests that do not use the package.
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { after } from "./cleanup.mjs";

export const authority = { name: "authority", url: process.env.AUTHORITY_URL || undefined };
export const ravendb = { name: "RavenDB", url: process.env.RAVENDB_URL || undefined };
/** RavenDB behind the gateway; if present, suites use only it (see tests/gateway/suites.test.mjs). */
const gateway = { name: "gateway", url: process.env.GATEWAY_URL || undefined };
/** Marks requests that do not come from the client and must not go through the gateway. */
export const BESIDE = "x-beside-the-gateway";

/** In milliseconds; a test that hangs is a failure. */
export const LIMIT = 60_000;

/** Why a test with this server is skipped; `false` if it is available. */
export const missing = (server) => !server.url && `no ${server.name}`;

/**
 * The same test with the real RavenDB and, with `--full`, with the authority; or through the gateway. Without `--full` the suite
 * `conformance` holds the authority to what RavenDB responds, field by field.
 */
export function onServers(name, body, { timeout = LIMIT } = {}) {
  const servers = process.env.RAVEN_EDGE_FULL ? [authority, ravendb] : [ravendb];
  for (const server of gateway.url ? [gateway] : servers) {
    test(`${name} [${server.name}]`, { skip: missing(server), timeout }, (t) => body(t, server));
  }
}

/** A test against the real RavenDB alone, for what the authority does not do. */
export function onRavenDb(name, body, { timeout = LIMIT } = {}) {
  test(`${name} [${ravendb.name}]`, { skip: missing(ravendb), timeout }, (t) => body(t, ravendb));
}

/** A new database, deleted after the test. */
export async function database(t, server) {
  const name = `edge-${randomBytes(6).toString("hex")}`;
  await create(server, name);
  after(t, () => remove(server, name));
  // RavenDB opens a database with its first request, which may take seconds; tests that measure time begin after
  // that.
  await send(server.url, "GET", `/databases/${name}/docs?id=none`);
  return name;
}

/** A new database of two shards, deleted after the test; RavenDB alone has them. */
export async function shardedDatabase(t) {
  const name = `edge-${randomBytes(6).toString("hex")}`;
  const Orchestrator = { Topology: { Members: ["A"] } };
  await create(ravendb, name, { Sharding: { Shards: { 0: {}, 1: {} }, Orchestrator } });
  after(t, () => remove(ravendb, name));
  // Opens all shards.
  await send(ravendb.url, "GET", `/databases/${name}/docs?startsWith=none`);
  return name;
}

export async function create(server, name, record = {}) {
  const created = await send(server.url, "PUT", `/admin/databases?name=${name}&replicationFactor=1`, {
    DatabaseName: name,
    ...record,
  });
  if (created.status !== 201) throw new Error(`creating ${name}: ${created.status} ${created.text}`);
}

export async function remove(server, name) {
  const body = { DatabaseNames: [name], HardDelete: true, TimeToWaitForConfirmation: "00:00:15" };
  await send(server.url, "DELETE", "/admin/databases", body);
}

/** Sends a request; a `body` that is not a string is sent as JSON. */
export async function send(url, method, path, body, given = {}) {
  const headers = gateway.url ? { ...given, [BESIDE]: "1" } : given;
  const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
  const response = await fetch(url + path, {
    method,
    body: text,
    headers: text === undefined ? headers : { "content-type": "application/json", ...headers },
  });
  const received = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text: received,
    get json() {
      return JSON.parse(received);
    },
  };
}

/** Stores a document directly on the server; `document` is an object or a JSON text. */
export const putDocument = (server, name, id, document) =>
  send(server.url, "PUT", `/databases/${name}/docs?id=${id}`, document);

/** The document on the server, `undefined` if it does not exist. */
export async function document(server, name, id) {
  const response = await send(server.url, "GET", `/databases/${name}/docs?id=${encodeURIComponent(id)}`);
  return response.status === 404 ? undefined : response.json.Results[0];
}

/** `Max` of a tag's counter document. */
export async function counter(server, name, tag) {
  return (await document(server, name, `Raven/Hilo/${tag}`))?.Max;
}

/**
 * `Max` when a store has returned all that it can: the highest number that it issued. A gateway seals the fences: its clients cannot
 * return the rest of two leases as one range, and lose that of the older one (docs/gateway-attacks.md). Whether a store holds two of
 * them depends on the time between ids. `leases`: its events.
 */
export const counterAfter = (server, leases, issued) =>
  server === gateway ? Math.max(issued, leases.at(-1).low - 1) : issued;

/** Sets the counter of a tag, like a restored backup; without `Max` it is deleted. */
export async function setCounter(server, name, tag, Max) {
  const path = `/databases/${name}/docs?id=Raven/Hilo/${tag}`;
  if (Max === undefined) return send(server.url, "DELETE", path);
  return send(server.url, "PUT", path, { Max, "@metadata": { "@collection": "@hilo" } });
}

/** A lease without the package: what another client would get. */
export async function otherLease(server, name, tag) {
  const response = await send(
    server.url,
    "GET",
    `/databases/${name}/hilo/next?tag=${encodeURIComponent(tag)}`,
  );
  if (response.status !== 201) throw new Error(`hilo/next: ${response.status} ${response.text}`);
  return response.json;
}

/** An order of the collection `Orders`. */
export const order = (fields = {}) => ({ ...fields, "@metadata": { "@collection": "Orders" } });

/** The number in an id such as `orders/12-A`. */
export const number = (id) => Number(/(\d+)-\w+$/.exec(id)[1]);
