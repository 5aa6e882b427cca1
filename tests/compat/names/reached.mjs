// The types that calls take and return, down to their data.
import ts from "typescript";
import { basesOf, checker, isCalled, isMethod, isTheirs, kindOf, nameOf, typeOf } from "./types.mjs";

/** Their names. */
export const reached = new Set();
/** The public data of each of them: kinds by member. */
export const data = {};

const visited = new Set();

export function reach(type) {
  if (!type || visited.has(type)) return;
  visited.add(type);
  for (const symbol of [type.aliasSymbol, type.symbol])
    if (symbol && isTheirs(symbol)) reached.add(symbol.name);
  if (type.isUnionOrIntersection()) type.types.forEach(reach);
  type.aliasTypeArguments?.forEach(reach);
  for (const base of type.symbol ? basesOf(type.symbol) : []) reach(checker.getTypeFromTypeNode(base));
  if (!(type.flags & ts.TypeFlags.Object)) return;
  if (type.target) checker.getTypeArguments(type).forEach(reach);
  type.getCallSignatures().forEach(reachParameters);
  if (type.symbol && !isTheirs(type.symbol)) return;
  const members = type.getProperties().filter((each) => !isMethod(each));
  data[nameOf(type)] ??= Object.fromEntries(
    members.filter((each) => isCalled(each, type.symbol)).map((each) => [each.name, kindOf(typeOf(each))]),
  );
  for (const member of members) reach(typeOf(member));
  reach(type.getStringIndexType());
}

export const reachParameters = (signature) =>
  signature.getParameters().forEach((each) => reach(typeOf(each)));
