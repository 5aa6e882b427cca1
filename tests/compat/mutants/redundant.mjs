// Which cases show nothing that others do not.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { filesIn } from "../../../xtask/js/outputs.mjs";
import { PROGRAM, PROGRAMS } from "../build.mjs";

const sources = fileURLToPath(new URL("../../../pkg/src/", import.meta.url));

/** Names and literals in a node. */
function words(node, found = new Set()) {
  if (ts.isIdentifier(node) || ts.isStringLiteral(node)) found.add(node.text);
  ts.forEachChild(node, (child) => void words(child, found));
  return found;
}

const parse = (text) => ts.createSourceFile("source.ts", text, ts.ScriptTarget.ESNext, true);

/** Names and literals that the package knows: an app that writes them uses something of it. */
function vocabulary() {
  const found = new Set();
  for (const file of filesIn(sources))
    if (file.endsWith(".ts")) words(parse(readFileSync(join(sources, file), "utf8")), found);
  return found;
}

const isExported = (node) => node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

/** The nodes of the cases of a part, and of the classes and functions beside them: cases are exported functions of programs, or sections of an area. */
function nodesOf(part) {
  const isTopic = part.includes("/");
  const source = parse(readFileSync(join(isTopic ? PROGRAMS : PROGRAM, `${part}.ts`), "utf8"));
  const nodes = new Map();
  const declared = new Map();
  // Lists of queries are not among them: only their texts are compared.
  for (const statement of source.statements)
    if (statement.name && !isExported(statement)) declared.set(statement.name.text, statement);
  const visit = (node) => {
    if (isTopic && ts.isFunctionDeclaration(node) && isExported(node)) nodes.set(node.name.text, node);
    if (!isTopic && ts.isCallExpression(node) && node.expression.getText() === "area")
      for (const property of node.arguments[0].properties) nodes.set(property.name.text, property);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { nodes, declared };
}

/** Names and literals of a case, also of what it uses of its file. */
function wordsOf(node, declared) {
  const found = words(node);
  // The set grows meanwhile: a declaration may use another one.
  for (const word of found) if (declared.has(word)) words(declared.get(word), found);
  return found;
}

/**
 * Names of the cases that show nothing which the others do not: they reach no place of pkg/src, see no condition become true or false, use
 * no name or literal of the package, and notice no mutant, that another case does not, too. `mayGo(name, text)`: whether a case may be one.
 * `outcomes`: those of all mutants with all cases. Cases that show least are dropped first.
 */
export function redundant(cases, results, outcomes, mayGo) {
  const known = vocabulary();
  const shown = new Map(cases.map(([part, section]) => [`${part}: ${section}`, new Set()]));
  const texts = new Map();
  for (const part of new Set(cases.map(([part]) => part))) {
    if (part === "unit-rql") continue;
    const { nodes, declared } = nodesOf(part);
    for (const [section, node] of nodes) {
      const name = `${part}: ${section}`;
      texts.set(name, node.getText());
      for (const word of wordsOf(node, declared)) if (known.has(word)) shown.get(name)?.add(`word ${word}`);
    }
  }
  for (const [name, { reached }] of Object.entries(results))
    for (const [number, bits] of reached)
      for (const bit of [1, 2, 4]) if (bits & bit) shown.get(name)?.add(`place ${number} ${bit}`);
  for (const [number, { killed, diverged }] of Object.entries(outcomes))
    for (const name of [...killed, ...diverged]) shown.get(name)?.add(`mutant ${number}`);

  const counts = new Map();
  for (const some of shown.values()) for (const each of some) counts.set(each, (counts.get(each) ?? 0) + 1);
  const rare = (name) => [...shown.get(name)].reduce((sum, each) => sum + 1 / counts.get(each), 0);
  const order = [...shown.keys()]
    .filter((name) => mayGo(name, texts.get(name) ?? ""))
    .sort((one, other) => rare(one) - rare(other));
  const gone = [];
  for (const name of order) {
    const some = [...shown.get(name)];
    if (some.some((each) => counts.get(each) === 1)) continue;
    for (const each of some) counts.set(each, counts.get(each) - 1);
    gone.push({ name, lines: texts.get(name).split("\n").length });
  }
  return gone;
}
