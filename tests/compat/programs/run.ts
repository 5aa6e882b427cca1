// Runs the programs of a topic; nothing here knows which client runs.
import { DocumentStore } from "client";
import { type Observation, type Part, type Report, Server, show, within } from "../program/harness.js";
import type { Context } from "./context.js";
import { SEED } from "./northwind.js";

type Program = (context: Context) => Promise<void>;

/** In milliseconds. No program may take longer. */
const LIMIT = 120_000;

/**
 * Every exported function is a program; what it prints is one observation. The programs of a folder share a database, which
 * has the documents of `northwind.ts`, and no others, when one begins. `databases`: those of all folders.
 */
export function topic(folder: string, programs: Record<string, Program>): Part {
  const part = async (
    url: string,
    report: Report,
    databases: Map<string, Server> = new Map(),
    without: string[] = [],
  ): Promise<void> => {
    const server = databases.get(folder) ?? (await Server.create(url));
    databases.set(folder, server);
    let before: unknown;
    for (const [section, program] of Object.entries(programs)) {
      if (without.includes(section)) continue;
      if (before === undefined || before !== (await newest(server))) before = await reset(server);
      report(await run(server, section, program));
    }
  };
  return Object.assign(part, { sections: Object.keys(programs) });
}

/** Which write was the last one, deletions included. */
async function newest(server: Server): Promise<unknown> {
  const statistics = (await (await server.send("GET", "/stats")).json()) as { DatabaseChangeVector: string };
  return statistics.DatabaseChangeVector;
}

/** Puts the documents back and deletes all others; waits until the indexes have seen it. */
async function reset(server: Server): Promise<unknown> {
  const seeded = new Set(SEED.Commands.map(({ Id }) => Id));
  const extra = (await server.ids(true)).filter((id) => !seeded.has(id));
  const body = {
    Commands: [...SEED.Commands, ...extra.map((Id) => ({ Type: "DELETE", Id, ChangeVector: null }))],
  };
  const path = "/bulk_docs?waitForIndexesTimeout=00:00:30&waitForIndexThrow=true";
  for (const end = Date.now() + LIMIT; ; ) {
    const answer = await server.send("POST", path, body);
    if (answer.ok) return newest(server);
    // RavenDB deletes an auto index 15 s after a wider one has replaced it, also while this waits for it.
    const text = await answer.text();
    if (Date.now() > end) throw new Error(`the documents of northwind.ts: ${answer.status} ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function run({ url, database }: Server, section: string, program: Program): Promise<Observation> {
  const store = new DocumentStore(url, database);
  store.initialize();
  const lines: string[] = [];
  const print = (...values: unknown[]) => void lines.push(values.map(show).join(" "));
  try {
    await within(LIMIT, program({ store, url, database, print }));
    return { section, name: "prints", value: lines.join("\n") };
  } catch (error) {
    const { name, message, stack } = error as Error;
    const where = stack?.split("\n").find((line) => line.includes("/programs/"));
    lines.push(`${name}: ${message} ${where?.trim() ?? ""}`);
    return { section, name: "(the section failed)", value: lines.join("\n") };
  } finally {
    await within(5_000, Promise.resolve(store.dispose())).catch(() => {});
  }
}
