// A call of everything that docs/moving-names.md calls the same, with arguments that follow the types of npm `ravendb`. Calls are plain
// JSON, which a process for each package carries out (child.mjs).
import { internal, listed, same, TYPES } from "../../docs/names-page.mjs";
import { BY_HAND, UNUSED } from "./arguments.mjs";
import { OBJECTS, SHOWN } from "./objects.mjs";
import { instanceOf, listsOf, made, plausible } from "./plausible.mjs";
import { data, reach, reached, reachParameters } from "./reached.mjs";
import {
  basesOf,
  checker,
  exported,
  found,
  isAbstract,
  isCalled,
  isClass,
  isFixed,
  isInterface,
  isMethod,
  isTheirs,
  isValue,
  kindOf,
  membersOf,
  names,
  typeOf,
} from "./types.mjs";
import { VALUES } from "./values.mjs";

/** By their keys, which read as the calls do. */
const calls = new Map();

const textOf = (list) => list.map((each) => JSON.stringify(each).replace(/"(\w+)":/g, "$1: ")).join(", ");

/** Each signature of a method once, an option at a time; of data the reading, and the setting of a plain value. */
function addMember(on, member, isStatic = false) {
  const path = `${on}.${member.name}`;
  const call = { on, member: member.name, isStatic };
  const type = typeOf(member);
  const signatures = isMethod(member) ? type.getCallSignatures().filter(isTheirs) : [];
  for (const signature of signatures) {
    const returned = checker.getReturnTypeOfSignature(signature);
    reach(returned);
    reachParameters(signature);
    for (const args of listsOf(signature, path)) {
      const key = `${path}(${textOf(args)})`;
      calls.set(key, { key, ...call, args, kind: kindOf(returned) });
    }
  }
  if (signatures.length > 0) return;
  reach(type);
  const canSet = isClass(member.parent) && !isStatic && !isFixed(member);
  const set = canSet ? plausible(type, path) : undefined;
  // Another object may be refused, or copied.
  const isPlain = typeof set !== "object" || set?.$callback !== undefined;
  calls.set(path, { key: path, ...call, set: isPlain ? set : undefined, kind: kindOf(type) });
}

/** Operations, commands and command data are made, and sent. */
function addConstructor(name, symbol) {
  const bases = basesOf(symbol);
  const parts = bases.flatMap(({ typeArguments = [] }) =>
    typeArguments.map((each) => checker.getTypeFromTypeNode(each)),
  );
  parts.forEach(reach);
  const use = bases
    .map(({ expression }) => expression.getText())
    .find((each) => /^(I\w*Operation|RavenCommand|ICommandData)$/.test(each));
  const kind = use && parts.length > 0 ? kindOf(parts[0]) : name;
  for (const signature of typeOf(symbol).getConstructSignatures()) {
    reachParameters(signature);
    for (const args of listsOf(signature, `${name}.new`)) {
      const key = `new ${name}(${textOf(args)})`;
      calls.set(key, { key, on: "", member: name, args, isStatic: true, isNew: true, use, kind });
    }
  }
}

/** Types whose members have a chapter of their own, and the chapter. */
const chapters = new Map(Object.entries(TYPES).flatMap(([of, types]) => types.map((name) => [name, of])));
for (const of of Object.keys(listed)) if (/EventArgs$/.test(of)) chapters.set(of, of);

for (const [name, of] of chapters) {
  if (!exported.has(name)) continue;
  for (const member of membersOf(name)) if (same(of).includes(member.name)) addMember(of, member);
}

/** Members that classes inherit are called for one of them. */
const inherited = new Set();
function isNew(member, owner) {
  if (!isClass(owner) || member.parent === owner || !isClass(member.parent)) return true;
  const key = `${member.parent.name}.${member.name}`;
  return !inherited.has(key) && inherited.add(key);
}

const uncallable = [];
// Of a class that is a type here there are instances, which objects.mjs gets, and no constructor.
for (const name of new Set([...names, ...Object.keys(OBJECTS)].filter((each) => exported.has(each)))) {
  const symbol = exported.get(name);
  if (isValue(symbol)) addMember("", symbol, true);
  if (isClass(symbol) && names.has(name)) {
    for (const member of typeOf(symbol).getProperties())
      if (isCalled(member, symbol)) addMember(name, member, true);
    if (!isAbstract(symbol) && !OBJECTS[name]) addConstructor(name, symbol);
  }
  if (chapters.has(name) || !(isClass(symbol) || isInterface(symbol))) continue;
  reach(checker.getDeclaredTypeOfSymbol(symbol));
  const members = membersOf(name).filter((each) => isCalled(each, symbol));
  if (OBJECTS[name] || isClass(symbol)) {
    if (!OBJECTS[name]) instanceOf(name);
    for (const member of members) if (isNew(member, symbol)) addMember(name, member);
  } else if (!VALUES[name] && !UNUSED.includes(name) && members.some(isMethod)) uncallable.push(name);
}

for (const call of BY_HAND) {
  const key = `${call.on}.${call.member}(${textOf(call.args)})`;
  calls.set(key, { key, ...call });
}

/** Objects of which a call shows no more than what they are. */
const opaque = [...Object.keys(OBJECTS), ...chapters.keys(), "InMemoryDocumentSessionOperations", "Readable"];

export const plan = {
  calls: [...calls.values()],
  made,
  data,
  opaque: opaque.filter((name) => !SHOWN.includes(name)),
};

const isCovered = (name) =>
  isClass(exported.get(name)) || isValue(exported.get(name)) || reached.has(name) || UNUSED.includes(name);

/** Names that the page calls the same, and that no call uses; internal members that nothing has. */
export const uncovered = [
  ...uncallable,
  ...[...names].filter((name) => !isCovered(name)),
  ...[...new Set(chapters.values())].flatMap((of) =>
    same(of)
      .filter((name) => !plan.calls.some(({ on, member }) => on === of && member === name))
      .map((name) => `${of}.${name}`),
  ),
  ...internal.filter((name) => !found.has(name)),
];
