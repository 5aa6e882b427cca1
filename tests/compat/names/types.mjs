// The types of npm `ravendb`, and what plan.mjs wants to know of them.
import ts from "typescript";
import { internal, same } from "../../docs/names-page.mjs";
import { typingsOf } from "../../docs/typings.mjs";
import { CLIENTS } from "../build.mjs";

export const { checker, exported } = typingsOf(CLIENTS.ravendb().replace(/\.js$/, ".d.ts"));

/** Exported classes and types that are the same. */
export const names = new Set(same("exports").filter((name) => name !== "default"));

export const nameOf = (type) => (type.aliasSymbol ?? type.symbol)?.name;
export const typeOf = (symbol) => checker.getTypeOfSymbol(symbol);
/** The members of an exported class or interface. */
export const membersOf = (name) => checker.getDeclaredTypeOfSymbol(exported.get(name)).getProperties();

export const isClass = ({ flags }) => flags & ts.SymbolFlags.Class;
export const isInterface = ({ flags }) => flags & ts.SymbolFlags.Interface;
export const isValue = ({ flags }) => flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Variable);
export const isOptional = ({ flags }) => flags & ts.SymbolFlags.Optional;
/** Functions that an app may set, such as those of conventions, are data. */
export const isMethod = ({ flags }) => flags & (ts.SymbolFlags.Method | ts.SymbolFlags.Function);
const modifiersOf = ({ declarations = [] }) =>
  declarations.reduce((sum, each) => sum | ts.getCombinedModifierFlags(each), 0);
export const isAbstract = (symbol) => modifiersOf(symbol) & ts.ModifierFlags.Abstract;
export const isFixed = (member) =>
  modifiersOf(member) & ts.ModifierFlags.Readonly || member.declarations.every(ts.isGetAccessor);
/** What `EventEmitter`, `Readable` and `Array` declare is not of npm `ravendb`. */
export const isTheirs = ({ declaration, declarations = [declaration] }) =>
  declarations.some((each) => each?.getSourceFile().fileName.includes("/node_modules/ravendb/"));

/** Internal members that a class has. */
export const found = new Set();

/** Whether programs call a member: protected methods only in classes that they extend, and nothing that an absent class has. */
export function isCalled(member, owner) {
  if (!isTheirs(member) || member.name.startsWith("_") || member.name === "prototype") return false;
  for (const name of [member.name, `${owner.name}.${member.name}`])
    if (internal.includes(name)) return void found.add(name);
  const { parent } = member;
  const isAbsent = isClass(parent) && exported.get(parent.name) === parent && !names.has(parent.name);
  if (isAbsent && parent !== owner) return false;
  const modifiers = modifiersOf(member);
  if (modifiers & ts.ModifierFlags.Private) return false;
  return !(modifiers & ts.ModifierFlags.Protected) || (isAbstract(owner) && isMethod(member));
}

/** What a value consists of: the name of its type, or `*` and that of its values. Promises, `Lazy` and lists are of what they give. */
export function kindOf(type) {
  if (type.flags & ts.TypeFlags.Void) return "void";
  const name = nameOf(type);
  if (name === "TBuilder") return "IncludeBuilder";
  if (["Promise", "Lazy", "Array", "Set"].includes(name)) return kindOf(checker.getTypeArguments(type)[0]);
  if (name === "Map") return `*${kindOf(checker.getTypeArguments(type)[1])}`;
  const values = type.getStringIndexType();
  return values ? `*${kindOf(values)}` : (name ?? "");
}

/** Types that a class extends or implements. */
export const basesOf = ({ declarations = [] }) =>
  declarations.flatMap(({ heritageClauses = [] }) => heritageClauses.flatMap(({ types }) => [...types]));
