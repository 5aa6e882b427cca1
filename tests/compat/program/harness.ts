// The tools of all areas. Nothing here depends on the client that runs.
import { DocumentStore } from "client";

/** One observed fact. `expected` only where the two clients are meant to differ. */
export interface Observation {
  section: string;
  name: string;
  value: string;
  expected?: { ravendb: string; edge: string };
}

export interface Section {
  /** Both clients must give the same. */
  observe(name: string, value: unknown): void;
  /** A defect of npm `ravendb` that is not copied: both outcomes, literally. `row`: a part of its row in docs/differences.md. */
  better(name: string, value: unknown, outcomes: { ravendb: unknown; edge: unknown; row?: string }): void;
  /** A store on the area's database, disposed after the section. */
  open(conventions?: (conventions: DocumentStore["conventions"]) => void, at?: Partial<Place>): DocumentStore;
  /** Plain requests beside the client. */
  server: Server;
  /** A database of its own, for facts about the whole database. */
  fresh(): Promise<Server>;
}

export interface Place {
  url: string;
  database: string;
}

export type Report = (observation: Observation) => void;
type Body = (section: Section) => Promise<void>;

/** A part of the program, and the names of its sections. */
export interface Part {
  (url: string, report: Report, databases?: Map<string, Server>, without?: string[]): Promise<void>;
  sections: string[];
}

/** A part of the program: sections that stand for themselves, on one database. */
export function area(sections: Record<string, Body>): Part {
  const part = (url: string, report: Report, _?: unknown, without: string[] = []) => {
    const chosen = Object.entries(sections).filter(([section]) => !without.includes(section));
    return run(chosen, url, report);
  };
  return Object.assign(part, { sections: Object.keys(sections) });
}

/** How long a section may take. */
const LIMIT = 120_000;

/** Runs the sections of an area one after the other; what one of them throws is an observation, too. */
async function run(sections: [string, Body][], url: string, report: Report): Promise<void> {
  const databases: Server[] = [];
  const fresh = async () => {
    const server = await Server.create(url);
    databases.push(server);
    return server;
  };
  const server = await fresh();
  for (const [section, body] of sections) {
    const stores: DocumentStore[] = [];
    let over = false;
    const say = (observation: Omit<Observation, "section">) => {
      if (!over) report({ section, ...observation });
    };
    const work = body({
      server,
      fresh,
      observe: (name, value) => say({ name, value: show(value) }),
      better: (name, value, { ravendb, edge }) =>
        say({ name, value: show(value), expected: { ravendb: show(ravendb), edge: show(edge) } }),
      open: (conventions, at = {}) => {
        const store = new DocumentStore(at.url ?? url, at.database ?? server.database);
        store.conventions.disableTopologyUpdates = true;
        store.conventions.findCollectionNameForObjectLiteral = (entity: object) =>
          (entity as { "@metadata"?: { "@collection": string } })["@metadata"]?.["@collection"] ?? "";
        conventions?.(store.conventions);
        store.initialize();
        stores.push(store);
        return store;
      },
    });
    try {
      await within(LIMIT, work);
    } catch (error) {
      report({ section, name: "(the section failed)", value: `${show(error)} ${stack(error)}` });
    }
    over = true;
    for (const store of stores) await within(5_000, Promise.resolve(store.dispose())).catch(() => {});
  }
  for (const database of databases) await database.remove();
}

export function within<T>(limit: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over after ${limit} ms`)), limit);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Waits until it holds; the limit of the section or program ends it. */
export async function until(holds: () => unknown): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/**
 * If npm `ravendb` is disposed of while its first commands are under way, it rejects a promise that nobody can catch. One of them it sends
 * on its own, before the second of these.
 */
export async function settled(changes: ReturnType<DocumentStore["changes"]>) {
  await changes.ensureConnectedNow();
  for (const begin of [() => changes.forAllDocuments(), () => changes.forAllIndexes()]) {
    const observable: Watched = begin();
    observable.on("data", () => {});
    await observable.ensureSubscribedNow();
  }
}

/** What the observables of all kinds of changes have. */
export interface Watched {
  on(event: "data", handler: (value: object) => void): unknown;
  ensureSubscribedNow(): Promise<void>;
}

const stack = (error: unknown) =>
  error instanceof Error ? `${error.message.slice(0, 300)} ${error.stack?.split("\n")[1]?.trim() ?? ""}` : "";

/** What a call came to: its value, or the error's `name`. */
export async function outcome(call: () => unknown): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    return new Failure(error);
  }
}

/** An error by its `name`, and whether its message names what it is about. */
export async function failure(call: () => unknown, mentions?: string): Promise<unknown> {
  try {
    return { succeeded: await call() };
  } catch (error) {
    if (mentions === undefined) return new Failure(error);
    return { error: nameOf(error), mentions: String((error as Error)?.message).includes(mentions) };
  }
}

class Failure {
  constructor(readonly error: unknown) {}
}

const nameOf = (error: unknown) =>
  error instanceof Error ? error.name : `thrown ${typeof error}: ${String(error)}`;

/** For the expected side of {@link Section.better}. */
export const fails = (name: string) => new Failure(Object.assign(new Error(name), { name }));

/** The document database beside the client, by plain requests. */
export class Server {
  private constructor(
    readonly url: string,
    readonly database: string,
  ) {}

  static async create(url: string): Promise<Server> {
    const bytes = crypto.getRandomValues(new Uint8Array(6));
    const name = `compat-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
    const server = new Server(url, name);
    const body = JSON.stringify({ DatabaseName: name });
    const answer = await fetch(`${url}/admin/databases?name=${name}&replicationFactor=1`, {
      method: "PUT",
      body,
    });
    if (!answer.ok) throw new Error(`creating ${name}: ${answer.status} ${await answer.text()}`);
    await server.send("GET", "/docs?id=none");
    return server;
  }

  async remove(): Promise<void> {
    const body = JSON.stringify({ DatabaseNames: [this.database], HardDelete: true });
    await fetch(`${this.url}/admin/databases`, { method: "DELETE", body });
  }

  send(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(`${this.url}/databases/${this.database}${path}`, {
      method,
      headers: { "content-type": "application/json" },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  }

  /** The document as it is stored, `undefined` when there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever is stored
  async document(id: string): Promise<any> {
    const answer = await this.send("GET", `/docs?id=${encodeURIComponent(id)}`);
    return answer.status === 404 ? undefined : ((await answer.json()) as { Results: unknown[] }).Results[0];
  }

  /** The document as it is stored, without `@metadata`. */
  async fields(id: string): Promise<unknown> {
    const found = await this.document(id);
    if (found === undefined) return undefined;
    const { "@metadata": _, ...fields } = found;
    return fields;
  }

  async vector(id: string): Promise<string | undefined> {
    return (await this.document(id))?.["@metadata"]["@change-vector"];
  }

  /** Somebody else's write. */
  async put(id: string, document: object, collection?: string): Promise<void> {
    const metadata = collection === undefined ? {} : { "@metadata": { "@collection": collection } };
    const answer = await this.send("PUT", `/docs?id=${encodeURIComponent(id)}`, { ...metadata, ...document });
    if (!answer.ok) throw new Error(`PUT ${id}: ${answer.status} ${await answer.text()}`);
  }

  async delete(id: string): Promise<void> {
    await this.send("DELETE", `/docs?id=${encodeURIComponent(id)}`);
  }

  /** All ids, in order; counters of ids only when asked for. */
  async ids(counters = false): Promise<string[]> {
    const answer = (await (await this.send("GET", "/docs?etag=0")).json()) as {
      Results: { "@metadata": { "@id": string } }[];
    };
    return answer.Results.map((document) => document["@metadata"]["@id"])
      .filter((id) => counters || !id.startsWith("Raven/Hilo/"))
      .sort();
  }
}

/**
 * A value as text that is the same in every run: keys sorted, what differs from run to run replaced. Own metadata that
 * npm `ravendb` keeps for its own decoding is left out; `undefined`, NaN, dates and classes are told apart.
 */
export function show(value: unknown): string {
  return normal(text(value, new Set()));
}

const OWN = new Set(["@nested-object-types", "Raven-Node-Type"]);

function text(value: unknown, above: Set<unknown>): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Object.is(value, -0)) return "-0";
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return `function ${value.name}`;
  if (value === null || typeof value !== "object") return String(value);
  if (value instanceof Failure) return `throws ${nameOf(value.error)}`;
  if (value instanceof Error) return `error ${value.name}`;
  if (value instanceof Date)
    return `Date(${Number.isNaN(value.getTime()) ? "invalid" : value.toISOString()})`;
  if (above.has(value)) return "(cycle)";
  above.add(value);
  try {
    if (Array.isArray(value)) return `[${Array.from(value, (item) => text(item, above)).join(", ")}]`;
    if (value instanceof Map) return `Map${text([...value], above)}`;
    if (value instanceof Set) return `Set${text([...value], above)}`;
    const kind = kindOf(value);
    const fields = Object.keys(value)
      .filter((key) => !OWN.has(key))
      .sort()
      .map((key) => `${JSON.stringify(key)}: ${text((value as Record<string, unknown>)[key], above)}`);
    return `${kind}{${fields.join(", ")}}`;
  } finally {
    above.delete(value);
  }
}

/** The class, only if it is one of the test programs: those are named `My…`. */
function kindOf(value: object): string {
  const prototype = Object.getPrototypeOf(value);
  const name = prototype?.constructor?.name ?? "";
  return name.startsWith("My") ? `${name} ` : "";
}

function normal(text: string): string {
  return text
    .replace(/(?:[A-Z]+:\d+-[A-Za-z0-9+/]{22}(?:, )?)+/g, "<vector>")
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z/g, "<time>")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<guid>")
    .replace(/\b0\d{18}(?=-[A-Z])/g, "<etag>")
    .replace(/compat-[0-9a-f]{12}/g, "<database>");
}

/** An order as a plain object of the collection `Orders`, or of another. */
export function plain<T extends object>(fields: T, collection = "Orders"): T & { id?: string } {
  return { ...fields, "@metadata": { "@collection": collection } } as T & { id?: string };
}
