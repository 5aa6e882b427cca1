// Editors complete the fields of a class in queries, although any text is a field.
import assert from "node:assert/strict";
import { test } from "node:test";
import ts from "typescript";
import { root } from "../support/root.mjs";

const FILE = `${root}tests/types/completed.ts`;
const CLASS = `
  import type { DocumentSession } from "raven-edge";
  class Order {
    total = 0;
    address?: { city: string };
    lines: { product: string }[] = [];
  }
  export const use = (session: DocumentSession) => session.query(Order)`;
/** Calls with a place `|` where a field is written. */
const CALLS = [
  '.whereEquals("|", 1)',
  '.whereIn("|", [])',
  '.whereBetween("|", 1, 2)',
  '.whereExists("|")',
  '.search("|", "x")',
  '.containsAny("|", [])',
  '.orderBy("|")',
  '.selectFields("|")',
  '.groupBy("|")',
];
const FIELDS = ["total", "address", "address.city", "lines[]", "lines[].product", "id"];

/** What an editor offers at `|`, one call after the other. */
function offers(calls) {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
  let text = "";
  let version = 0;
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [FILE],
    getScriptVersion: (file) => (file === FILE ? String(version) : "0"),
    getScriptSnapshot(file) {
      const found = file === FILE ? text : ts.sys.readFile(file);
      return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (file) => file === FILE || ts.sys.fileExists(file),
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  return calls.map((call) => {
    text = `${CLASS}${call.replace("|", "")};`;
    version++;
    const found = service.getCompletionsAtPosition(FILE, CLASS.length + call.indexOf("|"), {});
    return (found?.entries ?? []).map(({ name }) => name);
  });
}

test("editors complete the names of fields, though any text is one", { timeout: 60_000 }, () => {
  const all = offers(CALLS);
  for (const [at, call] of CALLS.entries())
    assert.deepEqual(
      FIELDS.filter((name) => !all[at].includes(name)),
      [],
      `${call}: ${all[at]}`,
    );
});
