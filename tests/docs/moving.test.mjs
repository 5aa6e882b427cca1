// docs/moving.md beside npm ravendb itself: what it calls the same is there in both, what it calls absent is there in that one
// alone, and nothing of its public interfaces is left out.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as theirs from "ravendb";
import ts from "typescript";
import * as ours from "../../pkg/node.js";
import { root } from "../support/packed.mjs";
import { textOf } from "./blocks.mjs";

/** The names of a chapter's table by what they are of. `column`: where they stand. */
function chapter(title, column = 2) {
  const text = textOf("docs/moving.md")
    .split("\n## ")
    .find((text) => text.startsWith(`${title}\n`));
  const names = {};
  for (const line of text
    .split("\n")
    .filter((line) => /^\| [a-z]/.test(line) && !line.startsWith("| of |"))) {
    const cells = line.split(" | ").map((cell) => cell.replace(/^\| |\|$/g, ""));
    names[cells[0]] ??= new Set();
    for (const [, name] of cells[column - 1].matchAll(/`([\w.]+)`/g))
      names[cells[0]].add(name.split(".").at(-1));
  }
  return names;
}

const same = chapter("Same");
const different = chapter("Different");
const absent = chapter("Absent");
const added = chapter("Queries, streams and patches");
const coming = chapter("Queries, streams and patches", 3);

/** What the package of that name has, by what it is of. */
function objects({ DocumentStore, ...exports }) {
  const store = new DocumentStore("http://127.0.0.1:1", "Shop");
  const { conventions } = store;
  store.initialize();
  after(() => store.dispose());
  const session = store.openSession();
  const { advanced } = session;
  const { lazily, eagerly } = advanced;
  return {
    exports: { DocumentStore, ...exports },
    store,
    session,
    "session.advanced": advanced,
    lazily,
    eagerly,
    conventions,
  };
}

/** The public interfaces of npm ravendb, and types by name, as its types tell them. */
function typesOf(file) {
  const program = ts.createProgram([file], {
    skipLibCheck: true,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2022,
  });
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(file));
  const exported = new Map(checker.getExportsOfModule(module).map((symbol) => [symbol.name, symbol]));
  const members = (name) => {
    const symbol = exported.get(name);
    const type = checker.getDeclaredTypeOfSymbol(
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    );
    const hidden = ({ declarations: [declaration] = [] }) =>
      declaration &&
      ts.getCombinedModifierFlags(declaration) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected);
    const properties = type.getProperties().filter((property) => !hidden(property));
    return properties.map(({ name }) => name).filter((name) => !name.startsWith("_"));
  };
  return { exported, members };
}

const INTERFACES = {
  store: "IDocumentStore",
  session: "IDocumentSession",
  "session.advanced": "IAdvancedSessionOperations",
  lazily: "ILazySessionOperations",
  eagerly: "IEagerSessionOperations",
  conventions: "DocumentConventions",
};

test("the page has names of everything", () => {
  for (const of of [...Object.keys(INTERFACES), "exports", "types"]) assert.ok(same[of]?.size > 0, of);
  assert.ok(absent.store.size > 5 && absent.conventions.size > 5);
});

const [them, us] = [objects(theirs), objects(ours)];
const typesOfThem = typesOf(`${root}node_modules/ravendb/dist/esm/index.d.ts`);

for (const [of, names] of [...Object.entries(same), ...Object.entries(added)].filter(
  ([of]) => of !== "types",
))
  test(`what is the same of ${of} is there in both`, () => {
    for (const name of names) assert.deepEqual([name in them[of], name in us[of]], [true, true], name);
  });

test("the types that are the same are there in both", () => {
  const { exported } = typesOf(`${root}pkg/index.d.ts`);
  for (const name of same.types)
    assert.deepEqual([typesOfThem.exported.has(name), exported.has(name)], [true, true], name);
});

for (const [of, names] of [...Object.entries(absent), ...Object.entries(coming)])
  test(`what is absent of ${of} is there in npm ravendb alone`, () => {
    const known = of === "exports" ? [...typesOfThem.exported.keys()] : typesOfThem.members(INTERFACES[of]);
    for (const name of names) {
      assert.ok(known.includes(name), name);
      // A stub says that it is absent.
      if (name in us[of]) assert.throws(() => us[of][name], { code: "Unsupported" }, name);
    }
  });

for (const [of, type] of Object.entries(INTERFACES))
  test(`nothing of ${type} is left out`, () => {
    const told = [same, different, absent, added, coming].flatMap((names) => [...(names[of] ?? [])]);
    assert.deepEqual(
      typesOfThem.members(type).filter((name) => !told.includes(name)),
      [],
    );
  });
