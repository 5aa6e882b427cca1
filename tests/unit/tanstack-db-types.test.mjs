// The declarations of `raven-edge/tanstack-db` against those of `@tanstack/db`: rows, names and schemas have their types.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import ts from "typescript";
import { root } from "../support/root.mjs";

const PROGRAM = `
import { createCollection, createLiveQueryCollection, createTransaction, eq } from "@tanstack/db";
import { DocumentStore, type Names } from "raven-edge";
import { ravenCollectionOptions } from "raven-edge/tanstack-db";

const names = {
  queries: { open: { query: "from Issues where status = $status", parameters: { status: { type: "string" } } } },
} as const satisfies Names;

interface Issue { title: string; status: "open" | "done"; at: number }
class User { name = ""; }

const store = new DocumentStore("/raven", "Shop").named(names);
const issues = createCollection(
  ravenCollectionOptions<Issue, typeof names>({ store, named: "open", parameters: { status: "open" }, collection: "Issues" }),
);
const users = createCollection(ravenCollectionOptions({ store, set: "users", collection: User }));
export const live = createLiveQueryCollection((q) =>
  q.from({ issue: issues }).where(({ issue }) => eq(issue.status, "open")).orderBy(({ issue }) => issue.at).limit(20),
);

export async function use(): Promise<void> {
  const id: string = await issues.utils.nextId();
  const both = createTransaction({ mutationFn: issues.utils.saveAll });
  both.mutate(() => {
    issues.insert({ id, title: "one", status: "open", at: 1 });
    issues.update(id, (draft) => { draft.title = "two"; });
    users.insert({ id: "users/1", name: "Ann" });
    // @ts-expect-error There is no such status.
    issues.insert({ id, title: "one", status: "new", at: 1 });
    // @ts-expect-error A row needs its id.
    issues.insert({ title: "one", status: "open", at: 1 });
  });
  const title: string | undefined = live.toArray[0]?.title;
  const name: string | undefined = users.get("users/1")?.name;
  const vector: string | undefined = issues.utils.versionOf(id);
  void [title, name, vector];
}

// @ts-expect-error There is no such query.
ravenCollectionOptions<Issue, typeof names>({ store, named: "opne", parameters: { status: "open" }, collection: "Issues" });
// @ts-expect-error The parameter is a text.
ravenCollectionOptions<Issue, typeof names>({ store, named: "open", parameters: { status: 1 }, collection: "Issues" });
// @ts-expect-error The collection is missing.
ravenCollectionOptions<Issue>({ store: new DocumentStore("/raven", "Shop"), set: "users" });

declare const schema: {
  "~standard": {
    version: 1;
    vendor: string;
    validate(value: unknown): { value: { id: string; count: number } };
    types?: { input: { id: string; count: number }; output: { id: string; count: number } };
  };
};
export const counts = createCollection(ravenCollectionOptions({ store, set: "counts", collection: "Counts", schema }));
export const count: number | undefined = counts.get("counts/1")?.count;
`;

test("rows, names, parameters and schemas have their types in collections of TanStack DB", {
  timeout: 120_000,
}, () => {
  const name = join(root, "tests/unit/program.ts");
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2022.d.ts", "lib.esnext.disposable.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: ["node"],
    paths: { "raven-edge": [join(root, "pkg/index.d.ts")], "raven-edge/*": [join(root, "pkg/*.d.ts")] },
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (file) => file === name || fileExists(file);
  host.getSourceFile = (file, ...more) =>
    file === name ? ts.createSourceFile(file, PROGRAM, ...more) : getSourceFile(file, ...more);
  const found = ts.getPreEmitDiagnostics(ts.createProgram([name], options, host));
  assert.equal(ts.formatDiagnostics(found, { ...host, getNewLine: () => "\n" }), "");
});
