// The compiler's errors in the program, or the programs, with either client's typings.
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const CONFIGS = { ravendb: "tsconfig.ravendb.json", edge: "tsconfig.json" };
const FOLDERS = { program: "./", programs: "./programs/" };

/** Declarations that were read: most of them are those of the language, the same for all. */
const declarations = new Map();

/** The compiler's errors in a folder, each with its area or topic. */
export function check(client, what = "program") {
  const config = fileURLToPath(new URL(FOLDERS[what] + CONFIGS[client], import.meta.url));
  const { options, fileNames, errors } = ts.getParsedCommandLineOfConfigFile(config, undefined, ts.sys);
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile;
  host.getSourceFile = (name, ...rest) => {
    if (!name.endsWith(".d.ts")) return read(name, ...rest);
    if (!declarations.has(name)) declarations.set(name, read(name, ...rest));
    return declarations.get(name);
  };
  const program = ts.createProgram(fileNames, options, host);
  const folder = dirname(config);
  const area = (file) =>
    relative(what === "program" ? join(folder, what) : folder, file).replace(/\.ts$/, "");
  return [...errors, ...ts.getPreEmitDiagnostics(program)].map((error) => ({
    area: error.file ? area(error.file.fileName) : "",
    text: ts.formatDiagnostic(error, { ...host, getCurrentDirectory: () => folder }).trim(),
  }));
}
