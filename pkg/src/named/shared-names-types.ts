// The names of queries and patches that page and Worker share, and their types. Types alone.

import type { DocumentType } from "../documents/entity-types.js";
import type { NamedPatch, NamedQuery } from "../gateway/options-types.js";

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
