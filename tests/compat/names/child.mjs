// One package's side: carries out the calls of a plan, one after the other, and sends what each came to.
import { pathToFileURL } from "node:url";
import WebSocket from "ws";
import { OBJECTS } from "./objects.mjs";
import { NOT_CALLED, shower, UNSET } from "./show.mjs";
import { CALLBACKS, VALUES } from "./values.mjs";
import { HeartRate, ID, Order } from "./world.mjs";

// Node has one from version 22 on; npm `ravendb` brings its own.
globalThis.WebSocket ??= WebSocket;

const [address, database] = process.argv.slice(2);
const client = await import(pathToFileURL(address));
let show;
let made;
/** Timeout of a call, in milliseconds. */
const LIMIT = 10_000;

function unopened() {
  const store = new client.DocumentStore(process.env.RAVENDB_URL, database);
  store.conventions.disableTopologyUpdates = true;
  store.conventions.registerEntityType(Order);
  store.conventions.registerEntityType(HeartRate);
  return store;
}
const store = unopened().initialize();

/** What one call has: the client, the store that all calls share, a session of its own. */
class World {
  client = client;
  store = store;
  database = database;
  unopened = unopened;
  sessions = [];
  open = (options) => {
    const session = store.openSession(options);
    this.sessions.push(session);
    return session;
  };
  get session() {
    this.first ??= this.open();
    return this.first;
  }
  entity = () => this.session.load(ID, Order);
}

/** The value that a plan describes. */
async function make(value, world) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) {
    const list = [];
    for (const each of value) list.push(await make(each, world));
    return list;
  }
  if (value.$) {
    let object;
    await (VALUES[value.$] ?? OBJECTS[value.$])(world, (each) => {
      object ??= each;
    });
    return object;
  }
  if (value.$date) return new Date(value.$date);
  if (value.$class) return client[value.$class];
  if (value.$new) return new client[value.$new](...(await make(made[value.$new], world)));
  if (value.$callback !== undefined) {
    const act = CALLBACKS[value.$callback];
    return (argument) => act?.(argument, world);
  }
  const object = {};
  for (const [key, each] of Object.entries(value)) object[key] = await make(each, world);
  return object;
}

/** Documents in the order of their ids: not every query says one. */
const sorted = (list) => [...list].sort((a, b) => (String(a?.id) < String(b?.id) ? -1 : 1));

/** What a result comes to when a program goes on with it. */
async function followed(value, kind) {
  const has = (member) => typeof value?.[member] === "function";
  if (has("getValue")) return value.getValue();
  if (/^I(Aggregation|Suggestion)DocumentQuery$/.test(kind)) return value.execute();
  if (has("waitForCompletion")) return value.waitForCompletion();
  if (has("finish")) return value.finish();
  if (has("createIndexDefinition")) return value.createIndexDefinition();
  if (has("getIndexQuery") && has("all")) return sorted(await value.waitForNonStaleResults().all());
  if (has("getFacet")) return value.getFacet();
  if (has(Symbol.asyncIterator)) {
    const items = [];
    for await (const item of value) items.push(item);
    return items;
  }
  return value;
}

/** Sends an operation, executes a command, defers what a save sends. */
async function used(object, use, { session }) {
  if (use === "IServerOperation") return store.maintenance.server.send(object);
  if (use === "IMaintenanceOperation") return store.maintenance.send(object);
  if (use === "IOperation") return store.operations.send(object);
  if (use === "ICommandData") session.advanced.defer(object);
  if (use !== "RavenCommand") return object;
  await store.getRequestExecutor().execute(object);
  return object.result;
}

function within(limit, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over after ${limit} ms`)), limit);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** What an act came to, as text; errors by name, and their messages in `details`. */
async function settle(act, details) {
  try {
    return await within(LIMIT, act());
  } catch (error) {
    details.push(`${error?.name}: ${String(error?.message).split("\n")[0]}`);
    return `throws ${error?.name}`;
  }
}

/** What a result comes to, and what it comes to when a program goes on with it. */
async function shown(value, kind, member) {
  const first = show(value, kind, member);
  if (kind === "void" || kind === "IDocumentQueryCustomization") return first;
  const then = await followed(value, kind);
  return then === value ? first : `${first} -> ${show(then, value?.getValue ? kind : "")}`;
}

async function perform({ on, member, args, set, kind, isNew, isStatic, use }) {
  const world = new World();
  world.member = member;
  const details = [];
  const list = await make(args ?? [], world);
  const value = await make(set, world);
  const act = async (object) => {
    if (isNew) return shown(await used(new object[member](...list), use, world), kind);
    if (args) return shown(await object[member](...list), kind, member);
    const read = show(object[member], kind, member);
    const before = UNSET.has(read) ? "unset" : read;
    if (set === undefined) return before;
    object[member] = value;
    return `${before}, then ${show(object[member], kind)}`;
  };
  let outcome;
  const call = (object) => {
    outcome ??= settle(() => act(object), details);
    return outcome;
  };
  const around = await settle(async () => {
    if (isStatic) await call(on === "" ? client : client[on]);
    else if (OBJECTS[on] ?? VALUES[on]) await (OBJECTS[on] ?? VALUES[on])(world, call);
    else await call(await make({ $new: on }, world));
    for (const session of world.sessions) await session.saveChanges();
    return "";
  }, details);
  return { outcome: `${(await outcome) ?? NOT_CALLED}${around && `, then ${around}`}`, details };
}

process.on("message", async (plan) => {
  ({ made } = plan);
  show = shower(plan);
  for (const call of plan.calls) {
    const result = await perform(call).catch((error) => ({
      outcome: NOT_CALLED,
      details: [`${error?.name}: ${error?.message}`],
    }));
    process.send({ key: call.key, ...result });
  }
  process.disconnect();
  process.exit();
});
// An unhandled rejection would end an app.
process.on("unhandledRejection", (error) =>
  process.send({ key: `(unhandled) ${error?.name}`, outcome: "is rejected", details: [error?.stack] }),
);
