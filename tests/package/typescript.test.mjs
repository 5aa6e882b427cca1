// The package's types in strict programs, with each supported TypeScript and each kind of module resolution. The
// repository's own version always runs; the others are downloaded, with `cargo xtask test --full`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { project, root, run } from "../support/packed.mjs";

const full = process.env.RAVEN_EDGE_FULL === "1";
const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const own = devDependencies.typescript;
const OTHERS = [
  "5.0.4",
  "5.1.6",
  "5.2.2",
  "5.3.3",
  "5.4.5",
  "5.5.4",
  "5.6.3",
  "5.7.3",
  "5.8.3",
  "6.0.3",
  "7.0.2",
];

const PROGRAM = `import { DocumentStore, type HiLoStatus, RavenEdgeError, version } from "raven-edge";
import { HiLoStore } from "raven-edge/hilo";
import { DocumentStore as SessionStore } from "raven-edge/session";
import { hub } from "raven-edge/hub";
import { ChangesHub } from "raven-edge/changes-hub";
import gateway from "raven-edge/gateway";
import { AuthorityObject } from "raven-edge/authority";
import { DocumentStore as Inline } from "raven-edge/inline";
import { DocumentStore as Complete } from "raven-edge/complete";
import { DocumentStore as CompleteSession } from "raven-edge/session/complete";
import { useModule } from "raven-edge/slim";

class Order {
  id?: string;
  lines: string[] = [];
}
export async function work(): Promise<HiLoStatus> {
  const store = new DocumentStore("https://ravendb.example", "Shop", { keep: { orders: 8 } }).initialize();
  const session = store.openSession();
  const order: Order | null = await session.load("orders/1-A", Order);
  const plain = await session.load<Order>("orders/1-A");
  const id: string | undefined = plain?.id;
  // @ts-expect-error: no number is an id
  await session.load(5);
  if (order) await session.store(order);
  const found: Order[] = await session.query(Order).whereEquals("id", "orders/1-A").all();
  if (found[0]) await session.store(found[0]);
  await session.saveChanges();
  return new HiLoStore("https://ravendb.example", "Shop").hilo(id ?? version).status();
}
export const worker = gateway({
  upstream: "https://ravendb.example",
  database: "Shop",
  collections: { Orders: "read" },
  secret: (env: { GATEWAY_SECRET: string }) => env.GATEWAY_SECRET,
});
export const known = (error: unknown): string => (error instanceof RavenEdgeError ? error.code : "");
export { AuthorityObject, ChangesHub, Complete, CompleteSession, hub, Inline, SessionStore, useModule };
`;

/** What CommonJS can require. */
const REQUIRED = `import { DocumentStore, RavenEdgeError } from "raven-edge";
import { HiLoStore } from "raven-edge/hilo";
export const made = [new DocumentStore("https://ravendb.example", "Shop"), HiLoStore, RavenEdgeError];
`;

/** `module` by `moduleResolution`. */
const WAYS = { bundler: "esnext", node16: "node16", nodenext: "nodenext" };

/** Strict, also for the package's declarations, and without any platform types beyond the common ones. */
const settings = ([moduleResolution, module]) => ({
  compilerOptions: {
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    target: "es2022",
    lib: ["es2022", "dom", "dom.iterable"],
    types: [],
    module,
    moduleResolution,
  },
  files: moduleResolution === "bundler" ? ["main.ts"] : ["main.ts", "main.cts"],
});

/** The output of a compiler for a project. */
async function compiled(tsc, cwd, config) {
  const output = await run(tsc, ["-p", config], { cwd }).catch(({ stdout, stderr }) => ({
    stdout: stdout + stderr,
  }));
  return output.stdout;
}

for (const version of [own, ...(full ? OTHERS : [])])
  test(`the types compile with TypeScript ${version}: bundler, node16, nodenext`, {
    timeout: 300_000,
  }, async () => {
    const content = { "main.ts": PROGRAM, "main.cts": REQUIRED };
    for (const way of Object.entries(WAYS)) content[`${way[0]}.json`] = JSON.stringify(settings(way));
    const tools = version === own ? [] : [`typescript@${version}`];
    const folder = await project(`types-${version}`, content, { tools });
    const tsc = join(version === own ? root : folder, "node_modules/.bin/tsc");
    for (const way of Object.keys(WAYS)) {
      assert.equal(await compiled(tsc, folder, `${way}.json`), "", way);
    }
  });

test("the types compile in a program for Node, without the types of browsers", {
  timeout: 300_000,
}, async () => {
  const [way] = Object.entries(WAYS).slice(1);
  const { compilerOptions } = settings(way);
  const content = {
    "main.ts": `import { DocumentStore } from "raven-edge";
export { HiLoStore } from "raven-edge/hilo";
export { DocumentStore as SessionStore } from "raven-edge/session";
export const store = new DocumentStore("https://ravendb.example", "Shop", { headers: () => ({ Authorization: "Bearer x" }) });
// @ts-expect-error: no number is a set of headers
new DocumentStore("https://ravendb.example", "Shop", { headers: () => 5 });
`,
    "tsconfig.json": JSON.stringify({
      compilerOptions: { ...compilerOptions, lib: ["es2023"], types: ["node"] },
      files: ["main.ts"],
    }),
  };
  const folder = await project("types-node", content, {
    tools: [join(root, "node_modules/@types/node")],
  });
  assert.equal(await compiled(join(root, "node_modules/.bin/tsc"), folder, "."), "");
});
