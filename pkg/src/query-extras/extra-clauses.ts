// The RQL of what `read-calls.ts` records.

import { Call, invalid, misplaced } from "../rql/call.js";
import { alias, path, quoted } from "../rql/names-and-parameters.js";
import { NULLS, type Query } from "../rql/render.js";
import { WhereClauses } from "../rql/where-clauses.js";
import { DEFAULT_ERROR } from "./builders/spatial.js";
import type { SentFacet, SentPlace, SentRange } from "./read-calls.js";

const AGGREGATIONS: Record<string, string> = { Max: "max", Min: "min", Average: "avg", Sum: "sum" };

const RELATIONS = ["Within", "Contains", "Disjoint", "Intersects"];
const UNITS = ["Kilometers", "Miles"];

/** The functions of RQL that make vectors, by what is stored and what is indexed. */
const EMBEDDINGS: Record<string, string> = {
  "Single Int8": "f32_i8",
  "Single Binary": "f32_i1",
  "Text Single": "text",
  "Text Int8": "text_i8",
  "Text Binary": "text_i1",
  "Int8 Int8": "i8",
  "Binary Binary": "i1",
};

/** Conditions that compare with a value. */
const COMPARISONS = /^where(Not)?Equals$|^where(Greater|Less)Than(OrEqual)?$/;

/** The clauses around those that are open, and the arguments of the condition that is open. */
interface Outer {
  clauses: WhereClauses;
  document?: string | undefined;
  options?: string;
}

export class ExtraClauses {
  #query;
  #filters: WhereClauses | undefined;
  #outer: Outer[] = [];
  #highlights = 0;

  constructor(query: Query) {
    this.#query = query;
  }

  #parameter(value: unknown): string {
    return this.#query.parameters.add(value);
  }

  /** A parameter with a comma before it; nothing if the app gave no options. */
  #options(value: unknown): string {
    return value ? `, ${this.#parameter(value)}` : "";
  }

  // Facets are about fields of an index, whose names may contain points.
  facet(call: Call): void {
    this.#selectsOnly("facet");
    const { field, options, ranges, name, aggregations } = call.value(0) as SentFacet;
    const sent = this.#options(options);
    const shown = name ? alias(name) : "";
    const by = field ? alias(field) : "";
    const parts = [
      ...(ranges ?? [by]).map((range) => (typeof range === "string" ? range : this.#range(range))),
      ...aggregations.map(aggregation),
    ].filter(Boolean);
    this.#query.select.items.push(
      `facet(${parts.join(", ")}${sent})${shown && shown !== by ? ` as ${shown}` : ""}`,
    );
  }

  #range({ path, bounds: [greater, less] }: SentRange): string {
    if (!greater && !less) misplaced("a range has a lower or an upper bound");
    // RavenDB's own clients number the upper bound first.
    const [upper, lower] = [less, greater].map(
      (bound) => bound && `${alias(path)} ${bound[0]} ${this.#parameter(bound[1])}`,
    );
    return [lower, upper].filter(Boolean).join(" and ");
  }

  facetSetup(call: Call): void {
    this.#query.select.items.push(`facet(id(${quoted(call.text(0))}))`);
  }

  #selectsOnly(name: string): void {
    const { text } = this.#query.select;
    if (text && !text.startsWith(` select ${name}(`))
      misplaced(`a query selects ${name}s or something else, not both`);
  }

  suggest(call: Call): void {
    const { clauses, orders, select } = this.#query;
    if (clauses.inner || orders.length > 0)
      misplaced("a query for suggestions has no conditions and no order");
    this.#selectsOnly("suggest");
    const field = path(call.text(0));
    if (select.items.at(-1)?.startsWith(`suggest(${field},`))
      misplaced("suggestions for this field are requested already: pass several terms");
    const term = this.#parameter(call.value(1));
    const name = call.optionalText(3) && alias(call.text(3));
    const text = `suggest(${field}, ${term}${this.#options(call.value(2))})`;
    select.items.push(name && name !== field ? `${text} as ${name}` : text);
  }

  openMoreLikeThis(call: Call): void {
    const options = this.#options(call.value(0));
    const document = call.value(1) === null ? undefined : this.#parameter(call.value(1));
    this.#open({ clauses: this.#query.clauses, document, options }, this.#made());
  }

  closeMoreLikeThis(): void {
    const { inner } = this.#query.clauses;
    const { document = inner || "true", options } = this.#close();
    this.#query.clauses.add("moreLikeThis", undefined, `moreLikeThis(${document}${options})`);
  }

  openFilter(call: Call): void {
    if (call.value(0) !== null) this.#query.filterLimit = call.count(0);
    this.#filters ??= this.#made();
    this.#open({ clauses: this.#query.clauses }, this.#filters);
  }

  closeFilter(): void {
    const { inner } = this.#query.clauses;
    this.#close();
    this.#query.filter = inner && ` filter ${inner}`;
  }

  /** Clauses with the operator of those around them. */
  #made(): WhereClauses {
    const { names, parameters, clauses } = this.#query;
    return Object.assign(new WhereClauses(names, parameters), { operator: clauses.operator });
  }

  #open(outer: Outer, clauses: WhereClauses): void {
    this.#outer.push(outer);
    this.#query.clauses = clauses;
  }

  #close(): Outer {
    // Each closing call follows its opening one.
    const outer = this.#outer.pop() as Outer;
    this.#query.clauses = outer.clauses;
    return outer;
  }

  fragments(call: Call): void {
    const text = `highlight(${path(call.text(0))},${call.count(1)},${call.count(2)},${this.#parameter(call.value(3))})`;
    // Before the explanations.
    this.#query.shown.splice(this.#highlights++, 0, text);
  }

  explanations(call: Call): void {
    const { shown } = this.#query;
    if (shown.length > this.#highlights) misplaced("the explanations are requested already");
    shown.push(`explanations(${call.value(0) ? this.#parameter(call.value(0)) : ""})`);
  }

  /** A place in RQL; what the negation of its condition needs. */
  #place(place: SentPlace, named: (field: string) => string): string {
    if (typeof place === "string") return named(place);
    if (!this.#query.isDynamic)
      misplaced("PointField and WktField are for collections: name a spatial field of the index");
    const [name, ...fields] = place;
    return `spatial.${name}(${fields.map((field) => this.#query.names.name(field)).join(", ")})`;
  }

  related(call: Call): void {
    const [relation, place, kind, values, units, error] = call.given as [
      string,
      SentPlace,
      string,
      unknown[],
      string,
      number,
    ];
    if (!RELATIONS.includes(relation)) invalid(`a relation is one of ${RELATIONS}`);
    if (units && !UNITS.includes(units)) invalid(`units are one of ${UNITS}`);
    const field = this.#place(place, (name) => this.#query.names.name(name));
    const given = values.map((value) => this.#parameter(value)).join(", ");
    const shape = `spatial.${kind}(${given}${units ? `, '${units}'` : ""})`;
    const tolerance = error === null || error === DEFAULT_ERROR ? "" : `, ${call.number(5)}`;
    const text = `spatial.${relation.toLowerCase()}(${field}, ${shape}${tolerance})`;
    this.#query.clauses.add("spatial", typeof place === "string" ? field : undefined, text);
  }

  distance(call: Call): void {
    const [place, descending, target, round, nulls] = call.given as [
      SentPlace,
      boolean,
      unknown,
      unknown,
      string | null,
    ];
    // npm `ravendb` quotes the function of dynamic fields: then the server orders by a field of that name, which no document has.
    const field = this.#place(place, (name) => this.#query.names.path(name));
    const rounding = this.#options(round);
    const point = Array.isArray(target) ? target : [target];
    const given = point.map((value) => this.#parameter(value)).join(", ");
    const shape = `spatial.${Array.isArray(target) ? "point" : "wkt"}(${given})`;
    const order = `spatial.distance(${field}, ${shape}${rounding})${descending ? " desc" : ""}`;
    this.#query.orders.push(order + (NULLS.get(nulls) ?? ""));
  }

  vector(call: Call): void {
    const [, source, target, , value, isDocument, valueTask] = call.given;
    const fieldTask = call.optionalText(3);
    const name = this.#query.names.path(call.text(0));
    const kind = source === "Single" && target === "Single" ? "" : `${source} ${target}`;
    const made =
      EMBEDDINGS[kind] ?? (kind && misplaced(`vectors that are ${source} cannot become ${target}`));
    if (fieldTask && valueTask)
      misplaced("the task is named for the field or for the value, which has vectors already, not for both");
    const task = source === "Text" && fieldTask ? `, ai.task(${quoted(fieldTask)})` : "";
    const field = made ? `embedding.${made}(${name}${task})` : name;
    const parameter = this.#parameter(value);
    const sought = isDocument
      ? `embedding.forDoc(${parameter})`
      : valueTask
        ? `embedding.text(${parameter}, ai.task(${quoted(call.text(6))}))`
        : parameter;
    const { similarity, numberOfCandidates, isExact } = (call.value(7) ?? {}) as Record<string, unknown>;
    const limits = [similarity, numberOfCandidates].map((limit) =>
      limit ? new Call(["", limit]).number(0) : "null",
    );
    const more = limits.some((limit) => limit !== "null") ? `, ${limits.join(", ")}` : "";
    const text = `vector.search(${field}, ${sought}${more})`;
    this.#query.clauses.add("vector", name, isExact ? `exact(${text})` : text);
  }

  whereMethod(call: Call): void {
    const [method, field, name, args, , exact] = call.given as [
      string,
      string,
      string,
      unknown[],
      unknown,
      unknown,
    ];
    if (!COMPARISONS.test(method)) invalid("functions of RQL are for comparisons");
    const given = args.map((value) => this.#parameter(value)).join(",");
    const path = call.optionalText(4);
    const made = `${name}(${given})${path && `.${alias(path)}`}`;
    this.#query.clauses.condition(new Call([method, field, null, exact]), made);
  }
}

function aggregation([kind, field, name]: unknown[]): string {
  const given = new Call(["", field, name]);
  const made = AGGREGATIONS[kind as string] ?? invalid("a facet aggregates by Sum, Min, Max or Average");
  const shown = given.optionalText(1);
  return `${made}(${alias(given.text(0))})${shown && ` as ${alias(shown)}`}`;
}
