// The types that a declaration file exports.
import ts from "typescript";

/** The exported symbols of a declaration file by name, and the checker that knows their types. */
export function typingsOf(file) {
  const program = ts.createProgram([file], {
    skipLibCheck: true,
    types: ["node"],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2022,
  });
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(file));
  const resolved = (symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const exported = new Map(
    checker.getExportsOfModule(module).map((symbol) => [symbol.name, resolved(symbol)]),
  );
  return { checker, exported };
}

const HIDDEN = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;

export const isPublic = ({ declarations: [declaration] = [] }) =>
  !declaration || !(ts.getCombinedModifierFlags(declaration) & HIDDEN);
