// Plausible arguments, by the types of parameters, as plain JSON: `{ $: name }` is made by values.mjs, `{ $new: name }` an instance.
import ts from "typescript";
import { given, LEAST } from "./arguments.mjs";
import { OBJECTS } from "./objects.mjs";
import { checker, exported, isAbstract, isClass, isOptional, isTheirs, nameOf, typeOf } from "./types.mjs";
import { VALUES } from "./values.mjs";

/** The constructor's arguments of classes of which a call needs an instance, by name. */
export const made = {};

const isRequired = ({ valueDeclaration }) => !valueDeclaration?.questionToken;

/** A plausible value; `path` names it, such as `session.load.options.documentType`. */
export function plausible(type, path) {
  if (checker.isArrayType(type)) return [plausible(checker.getTypeArguments(type)[0], path)];
  const name = nameOf(type);
  if (VALUES[name]) return { $: name };
  const known = given(path, name);
  if (known !== undefined) return known;
  if (type.isUnion()) return plausible(type.types[0], path);
  if (type.isLiteral()) return type.value;
  if (type.flags & ts.TypeFlags.BooleanLike) return true;
  if (type.flags & ts.TypeFlags.NumberLike) return 1;
  if (type.flags & ts.TypeFlags.StringLike) return "name";
  if (type.flags & (ts.TypeFlags.TypeParameter | ts.TypeFlags.Any)) return "Ann";
  if (OBJECTS[name]) return { $: name };
  const [signature] = type.getCallSignatures();
  if (signature) {
    const [first] = signature.getParameters();
    return { $callback: first ? nameOf(typeOf(first)) : "" };
  }
  const symbol = exported.get(name);
  if (symbol && isClass(symbol) && !isAbstract(symbol)) return instanceOf(name);
  if (!(type.flags & ts.TypeFlags.Object)) return { a: 1 };
  // Required members; deeper objects stay empty, because interfaces may contain themselves.
  const members = path.split(".").length > 6 ? [] : type.getProperties().filter((each) => !isOptional(each));
  const required = members.map((each) => [each.name, plausible(typeOf(each), `${path}.${each.name}`)]);
  return { ...Object.fromEntries(required), ...LEAST[name] };
}

export function instanceOf(name) {
  if (!made[name]) {
    made[name] = [];
    const [signature] = typeOf(exported.get(name)).getConstructSignatures();
    made[name] = listOf(signature.getParameters().filter(isRequired), `${name}.new`);
  }
  return { $new: name };
}

const listOf = (parameters, path) =>
  parameters.flatMap((each) => {
    const value = plausible(typeOf(each), `${path}.${each.name}`);
    return each.valueDeclaration?.dotDotDotToken ? value : [value];
  });

/** The options of a parameter: optional members of an interface or an object type. */
function optionsOf(type, path) {
  if (type.isUnion()) return type.types.flatMap((each) => optionsOf(each, path));
  const name = nameOf(type);
  const isBag =
    type.flags & ts.TypeFlags.Object &&
    !checker.isArrayType(type) &&
    type.getCallSignatures().length === 0 &&
    isTheirs(type.symbol) &&
    !isClass(type.symbol);
  const isMade = VALUES[name] || OBJECTS[name] || given(path, name) !== undefined;
  return isBag && !isMade ? type.getProperties().filter(isOptional) : [];
}

/** Lists of arguments of a signature: the required ones, all, and each option by itself. */
export function listsOf(signature, path) {
  const parameters = signature.getParameters();
  const all = listOf(parameters, path);
  const withOptions = parameters.flatMap((parameter, at) =>
    optionsOf(typeOf(parameter), `${path}.${parameter.name}`).map((option) => {
      const value = plausible(typeOf(option), `${path}.${parameter.name}.${option.name}`);
      return all.with(at, { ...all[at], [option.name]: value });
    }),
  );
  return [listOf(parameters.filter(isRequired), path), all, ...withOptions];
}
