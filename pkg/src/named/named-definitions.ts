// The definitions of a client that has no gateway before it: `store.named(names, claims)`. Values of parameters are checked as the gateway does
// (`edge/src/gateway/named/parameters.rs`); `tests/unit/named-parameters.json` has cases for both.

import { type AllNames, checkName, checkNames, isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import type { DocumentType } from "../documents/entity-types.js";
import type {
  Comparable,
  NamedPatch,
  NamedQuery,
  ParameterType,
  QueryParameter,
} from "../gateway/options-types.js";

/** Returns what is wrong with a value, if anything is. */
type Rule = (value: unknown) => string | false | undefined;

/** `2026-11-23`, or with a time, up to seven digits of a second, and `Z`. */
const DATE =
  /^(?!0000)\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,7})?Z?)?$/;

const json = (value: unknown): string => JSON.stringify(value);

/** Makes the rule of a declared parameter, by its type. */
const RULES: { [Type in ParameterType["type"]]: (declared: ParameterType & { type: Type }) => Rule } = {
  string:
    ({ minLength = 0, maxLength = 256 }) =>
    (value) => {
      if (typeof value !== "string") return "must be a text";
      // Characters, not halves of surrogate pairs.
      const { length } = [...value];
      return (
        (length < minLength || length > maxLength) && `must have ${minLength} to ${maxLength} characters`
      );
    },
  number: bounded,
  integer: bounded,
  boolean: () => (value) => typeof value !== "boolean" && "must be true or false",
  date: () => (value) =>
    !(typeof value === "string" && DATE.test(value)) && 'must be a date such as "2026-11-23T12:00:00.000Z"',
  enum:
    ({ values }) =>
    (value) =>
      !values.includes(value as Comparable & string) && `must be one of ${values.map(json).join(", ")}`,
  object:
    ({ maxBytes = 1_024 }) =>
    (value) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return "must be an object";
      return new TextEncoder().encode(json(value)).length > maxBytes && `must have ${maxBytes} bytes at most`;
    },
  array: ({ of, maxItems = 100 }) => {
    const rule = ruleOf(of);
    return (value) => {
      if (!Array.isArray(value)) return "must be a list";
      if (value.length > maxItems) return `must have ${maxItems} items at most`;
      const wrong = value.map(rule).find(Boolean);
      return wrong && `has an item that ${wrong}`;
    };
  },
};

function bounded({ type, min, max }: { type: string; min?: number; max?: number }): Rule {
  const isWhole = type === "integer";
  return (value) => {
    if (!(isWhole ? Number.isSafeInteger(value) : Number.isFinite(value)))
      return isWhole ? "must be a whole number" : "must be a number";
    if ((value as number) < (min as number)) return `must be at least ${min}`;
    return (value as number) > (max as number) && `must be at most ${max}`;
  };
}

function ruleOf(declared: ParameterType): Rule {
  return (RULES[declared.type] as (declared: ParameterType) => Rule)(declared);
}

/**
 * The values that are sent: those that are given, as JSON has them, and defaults.
 * @throws {RavenEdgeError} `InvalidArgument` for a name that is not declared, a value that the declaration refuses, and one that is
 * missing.
 */
export function valuesOf(
  what: string,
  declared: Readonly<Record<string, QueryParameter>> = {},
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  checkNames(`parameter of ${what}:`, given, Object.keys(declared));
  const value = ([name, rule]: [string, QueryParameter]): [string, unknown] => {
    const said = Object.hasOwn(given, name) ? given[name] : undefined;
    // `null` is what a parameter that is left out becomes.
    if (said === undefined || (said === null && rule.required === false && rule.default === undefined)) {
      if (rule.default === undefined && rule.required !== false)
        fail("InvalidArgument", `${what}: the parameter ${name} is missing`);
      return [name, rule.default ?? null];
    }
    const wrong = ruleOf(rule)(said);
    if (wrong) fail("InvalidArgument", `${what}: the parameter ${name} ${wrong}`);
    return [name, said];
  };
  return Object.fromEntries(Object.entries(declared).map(value));
}

/**
 * The arguments of `store.named`.
 * @internal
 */
export interface Definitions {
  names: Names;
  claims: Claims | ((session: never) => Claims) | undefined;
  /** Whether they were checked. */
  areChecked?: boolean;
}

/**
 * A definition, and the values of the names behind `$` in its text.
 * @internal
 */
export interface Resolved<Definition> {
  definition: Definition;
  values: Record<string, unknown>;
}

const QUERY = ["query", "parameters", "page", "projection", "total", "wait", "collections", "set"] as const;
const PATCH = ["collection", "script", "parameters"] as const;

/** Texts in quotes, in which a `$` does not begin a name. */
const QUOTED = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/gs;
const USED = /\$(\w+)/g;

/** White space and comments of RQL. */
const BLANK = String.raw`(?:[ \t\r\n]|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)`;

/** The collection behind `from` in RQL; `undefined` for an index, for all documents, and for what is not certainly read as RavenDB does. */
export function collectionIn(query: string): string | undefined {
  // `from` and a collection: a text in quotes, in which `\` and a second quote escape, or a word, which no other sign may follow.
  const from = new RegExp(
    String.raw`^${BLANK}*from(?:${BLANK}*('(?:[^'\\]|\\['"\\]|'')*'|"(?:[^"\\]|\\['"\\]|"")*")(?![.\w'"])|${BLANK}+(?!index\b)([\p{L}_][\p{L}\p{N}_.-]*)(?=[ \t\r\n(]|/[/*]|$))(?!${BLANK}*[.[])`,
    "iu",
  );
  const [, text = "", word] = from.exec(query) ?? [];
  const quote = text.charAt(0);
  const name =
    word ??
    text
      .slice(1, -1)
      .replaceAll(quote + quote, quote)
      .replace(/\\(.)/g, "$1");
  return name === "" || name.startsWith("@") ? undefined : name;
}

/** The names behind `$` in RQL. */
const usedBy = (query: string): string[] =>
  [...query.replace(QUOTED, "").matchAll(USED)].map(([, name]) => name as string);
/** The names that a script uses: `$line` or `args.line`. */
const usedIn = (script: string): string[] =>
  [...script.matchAll(/(?:(?<![\w$])\$|(?<![\w$.])args\.)([A-Za-z_]\w*)/g)].map(([, name]) => name as string);

/**
 * Checks definitions once.
 * @internal
 */
export function check(given: Definitions): void {
  if (given.areChecked) return;
  const { claims = [] } = given.names;
  checkNames("member of named()", given.names, ["claims", "queries", "patches"]);
  const kinds = [
    ["queries", QUERY satisfies AllNames<NamedQuery, typeof QUERY>, "query", usedBy],
    ["patches", PATCH satisfies AllNames<NamedPatch, typeof PATCH>, "script", usedIn],
  ] as const;
  for (const [kind, words, member, used] of kinds)
    for (const [name, definition] of Object.entries(given.names[kind] ?? {}))
      checkOne(`${kind}.${name}`, definition, words, member, used, claims);
  given.areChecked = true;
}

/** `member`: the member that holds its text; `usedIn`: the names that a text uses. */
function checkOne(
  what: string,
  definition: object,
  words: readonly string[],
  member: string,
  usedIn: (text: string) => string[],
  claims: readonly string[],
): void {
  checkNames(`member of ${what}:`, definition, words);
  const { [member]: text, parameters = {} } = definition as Record<string, unknown> & {
    parameters?: Record<string, QueryParameter>;
  };
  const wrong = (reason: string) => fail("InvalidArgument", `${what}.${reason}`);
  if (!isText(text)) wrong(`${member}: the text is missing`);
  const used = usedIn(text as string);
  for (const [name, declared] of Object.entries(parameters)) {
    checkName(`type of ${what}.parameters.${name}:`, declared.type, Object.keys(RULES));
    const reason = declared.default !== undefined && ruleOf(declared)(declared.default);
    if (reason) wrong(`parameters.${name}.default ${reason}`);
    if (!used.includes(name)) wrong(`parameters.${name}: the ${member} does not use it`);
  }
  for (const name of used)
    if (Object.hasOwn(parameters, name) === claims.includes(name))
      wrong(
        `${member}: $${name} is ${claims.includes(name) ? "both a parameter and a claim" : "neither a parameter nor a claim"}`,
      );
}

/** The session that calls by name, and its store. */
interface Caller {
  readonly store: { readonly definitions: Definitions | undefined };
  readonly session: unknown;
}

/**
 * The query or patch of this name, with checked values; `undefined` if the store has no definitions at all, because a gateway has them.
 * @throws {RavenEdgeError} `InvalidArgument` for a name that is not defined, and for wrong parameters; `InvalidOperation` for a claim
 * without a value.
 * @internal
 */
export function resolve<Which extends "queries" | "patches">(
  state: Caller,
  kind: Which,
  name: unknown,
  given: unknown,
): Resolved<NonNullable<Names[Which]>[string]> | undefined {
  const definitions = state.store.definitions;
  if (!definitions) return;
  check(definitions);
  const { names, claims } = definitions;
  const all: Record<string, NamedQuery | NamedPatch> = names[kind] ?? {};
  const what = kind === "queries" ? "query" : "patch";
  checkName(`named ${what}`, name, Object.keys(all));
  const definition = all[name as string] as NonNullable<Names[Which]>[string];
  const label = `the ${what} ${name}`;
  const values = valuesOf(label, definition.parameters, given as Record<string, unknown>);
  const known: Claims | undefined = typeof claims === "function" ? claims(state.session as never) : claims;
  const used = "query" in definition ? usedBy(definition.query) : usedIn(definition.script);
  for (const claim of used) {
    if (Object.hasOwn(values, claim)) continue;
    values[claim] =
      known?.[claim] ??
      fail(
        "InvalidOperation",
        `${label} uses the claim ${claim}: give its value to store.named(names, claims)`,
      );
  }
  return { definition, values };
}

/**
 * Queries and patches by name, as the options of the gateway have them. Declare them once: the Worker gives them to the gateway, the
 * page takes their types, and a client that reaches RavenDB itself gives them to {@link DocumentStore.named}.
 *
 * ```ts
 * import type { Names } from "raven-edge";
 *
 * export const names = {
 *   claims: ["name"],
 *   queries: {
 *     openOrders: {
 *       query: "from Orders where customerId = $name and total >= $from order by date desc",
 *       parameters: { from: { type: "number", default: 0 } },
 *     },
 *   },
 *   patches: {
 *     addLine: { collection: "Orders", script: "this.lines.push($line)", parameters: { line: { type: "object" } } },
 *   },
 * } as const satisfies Names;
 * ```
 */
export interface Names {
  /** The names of the caller's claims. A name behind `$` in a text is a claim or a parameter. */
  readonly claims?: readonly string[];
  readonly queries?: Readonly<Record<string, NamedQuery>>;
  readonly patches?: Readonly<Record<string, NamedPatch>>;
  /**
   * For types alone, never as a value: the documents of sets (`raven-edge/offline`), by the names of the sets.
   *
   * ```ts
   * type Known = typeof names & { setDocuments: { mine: Visit } };
   * ```
   */
  readonly setDocuments?: Readonly<Record<string, object>>;
}

/** Values of claims by name. */
export type Claims = Readonly<Record<string, unknown>>;

/** The value of a parameter that is declared like this. A `Date` is sent in UTC. */
export type ParameterValue<Declared> = Declared extends { type: "string" }
  ? string
  : Declared extends { type: "number" | "integer" }
    ? number
    : Declared extends { type: "boolean" }
      ? boolean
      : Declared extends { type: "date" }
        ? Date | string
        : Declared extends { type: "enum"; values: readonly (infer Value)[] }
          ? Value
          : Declared extends { type: "array"; of: infer Item }
            ? readonly ParameterValue<Item>[]
            : object;

/** The names of parameters that may be left out. */
type OptionalName<Declared> = {
  [Name in keyof Declared]: Declared[Name] extends { default: unknown } | { required: false } ? Name : never;
}[keyof Declared];

/** The values of these parameters. */
export type ParameterValues<Declared> = {
  [Name in Exclude<keyof Declared, OptionalName<Declared>>]: ParameterValue<Declared[Name]>;
} & {
  [Name in OptionalName<Declared>]?:
    | ParameterValue<Declared[Name]>
    | (Declared[Name] extends { required: false } ? null : never);
};

/** A name with its parameters, which can be left out if all of them can. */
type Call<Name, Declaration> = { named: Name } & (Declaration extends { parameters: infer Declared }
  ? Partial<ParameterValues<Declared>> extends ParameterValues<Declared>
    ? { parameters?: ParameterValues<Declared> }
    : { parameters: ParameterValues<Declared> }
  : { parameters?: Readonly<Record<string, never>> });

/** One of these names with its parameters; any, if the names are not known. */
type AnyCall<Declarations> = string extends keyof Declarations
  ? { named: string; parameters?: object }
  : { [Name in keyof Declarations]: Call<Name, Declarations[Name]> }[keyof Declarations];

/** Names of one kind; none, if the app declares none of that kind. */
type Kind<Defined extends Names, Name extends "queries" | "patches"> = Defined extends {
  [Each in Name]: infer Declarations;
}
  ? Declarations
  : Names extends Defined
    ? Readonly<Record<string, unknown>>
    : Record<never, never>;

/** The name of a query, with its parameters. */
export type NamedQueryCall<Defined extends Names> = AnyCall<Kind<Defined, "queries">>;

/** A query by its name. */
export type NamedQueryOptions<Defined extends Names, T extends object> = NamedQueryCall<Defined> & {
  /** The class of its results, or the name under which a class is registered. */
  documentType?: DocumentType<T>;
  /** Where an earlier page ended: `next` of its statistics. The name and the parameters must be those of that page. */
  next?: string;
};

/** A patch by its name. */
export type NamedPatchOptions<Defined extends Names> = AnyCall<Kind<Defined, "patches">>;
