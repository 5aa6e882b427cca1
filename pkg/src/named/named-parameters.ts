// Values of parameters, as the gateway checks them (`edge/src/gateway/named/parameters.rs`), for a client that has none before it.
// `tests/unit/named-parameters.json` has cases for both.

import { fail } from "../common/error.js";
import { checkNames } from "../common/known-names.js";
import type { Comparable, ParameterType, QueryParameter } from "../gateway/options-types.js";

/** Returns what is wrong with a value, if anything is. */
type Rule = (value: unknown) => string | false | undefined;

/** `2026-11-23`, or with a time, up to seven digits of a second, and `Z`. */
const DATE =
  /^(?!0000)\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,7})?Z?)?$/;

const json = (value: unknown): string => JSON.stringify(value);

/** Makes the rule of a declared parameter, by its type. */
export const RULES: { [Type in ParameterType["type"]]: (declared: ParameterType & { type: Type }) => Rule } =
  {
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
        return (
          new TextEncoder().encode(json(value)).length > maxBytes && `must have ${maxBytes} bytes at most`
        );
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

/** The rule of a declared parameter. */
export function ruleOf(declared: ParameterType): Rule {
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
