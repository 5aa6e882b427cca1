// The `where` clause of a query: its conditions, and the operators between them.

import { type Call, invalid, misplaced } from "./call.js";
import type { Names, Parameters } from "./names-and-parameters.js";

/** The text of conditions, by the method that makes them: `@` is the field, `#` the parameter. */
const FORMS: Record<string, string> = {
  whereEquals: "@ = #",
  whereNotEquals: "@ != #",
  whereExists: "exists(@)",
  whereIn: "@ in (#)",
  containsAny: "@ in (#)",
  containsAll: "@ all in (#)",
  whereBetween: "@ between #",
  whereGreaterThan: "@ > #",
  whereGreaterThanOrEqual: "@ >= #",
  whereLessThan: "@ < #",
  whereLessThanOrEqual: "@ <= #",
  whereStartsWith: "startsWith(@, #)",
  whereEndsWith: "endsWith(@, #)",
  whereRegex: "regex(@, #)",
  whereLucene: "lucene(@, #)",
  search: "search(@, #)",
};

/** What is sent where the app gives `null` as the lower or the upper bound of a comparison. */
const LEAST = "*";
const MOST = "NULL";

/** Conditions whose negation has a method of its own. */
const OPPOSITES: Record<string, string> = { whereEquals: "whereNotEquals", whereNotEquals: "whereEquals" };

/** A function around a condition, and its second argument. */
type Factor = [name: string, factor: number];

interface Condition {
  kind: "condition";
  method: string;
  text: string;
  distance?: Factor;
  boost?: Factor;
}

interface OpeningBracket {
  kind: "open";
  /** Whether the bracket is boosted; its closing bracket has the factor. */
  boost?: boolean;
}

interface ClosingBracket {
  kind: "close";
  /** The parameter of the factor. */
  boost?: string;
}

interface Word {
  kind: "operator" | "true" | "not" | "intersect";
  /** The text of an `operator`. `true` and `not` are written as the names of their kinds, `intersect` as a comma. */
  text?: string;
}

type Clause = Condition | OpeningBracket | ClosingBracket | Word;
type Kind = Clause["kind"] | undefined;

/** Kinds of clauses that need an operator before the next one. */
const ENDS: Kind[] = ["condition", "close", "true"];

export class WhereClauses {
  #list: Clause[] = [];
  #depth = 0;
  #isNegated = false;
  operator = "and";
  #intersects = false;
  #names;
  #parameters;

  constructor(names: Names, parameters: Parameters) {
    this.#names = names;
    this.#parameters = parameters;
  }

  /** Sets the operator between conditions that the app does not join itself. */
  usingDefaultOperator(call: Call): void {
    if (this.#list.length > 0) misplaced("the default operator must be set before the first condition");
    this.operator = call.value(0) === "OR" ? "or" : "and";
  }

  not(): void {
    this.#isNegated = !this.#isNegated;
  }

  negateNext(): void {
    this.not();
  }

  andAlso(call: Call): void {
    if (this.#list.length > 0 && call.value(0) === true) {
      this.#assertNoOperator();
      this.#list.unshift({ kind: "open" });
      this.#list.push({ kind: "close" });
    }
    this.#join("and");
  }

  orElse(): void {
    this.#join("or");
  }

  openSubclause(): void {
    this.#depth += 1;
    this.#joinByDefault();
    this.#negate();
    this.#list.push({ kind: "open" });
  }

  closeSubclause(): void {
    if (this.#depth === 0) misplaced("closeSubclause without an openSubclause before it");
    this.#depth -= 1;
    this.#list.push({ kind: "close" });
  }

  intersect(): void {
    if (!(["condition", "close"] as Kind[]).includes(this.#last?.kind))
      misplaced("intersect must be between two conditions");
    this.#intersects = true;
    this.#list.push({ kind: "intersect" });
  }

  fuzzy(call: Call): void {
    const condition = this.#lastOf("whereEquals", "fuzzy must follow whereEquals");
    const factor = call.number(0);
    if (factor > 1) invalid("the distance of fuzzy is between 0 and 1");
    condition.distance = ["fuzzy", factor];
  }

  proximity(call: Call): void {
    const condition = this.#lastOf("search", "proximity must follow search");
    condition.distance = ["proximity", call.number(0)];
  }

  boost(call: Call): void {
    const factor = call.number(0);
    if (factor === 1) return;
    const last = this.#last;
    if (last?.kind === "condition") {
      last.boost = ["boost", factor];
    } else if (last?.kind === "close") {
      last.boost = this.#parameters.add(factor);
      this.#opening.boost = true;
    } else {
      misplaced("boost must follow a condition");
    }
  }

  /** Adds a condition. `field`: its field; `undefined` if the negated condition also matches documents without the field. */
  add(method: string, field: string | undefined, text: string): void {
    this.#joinByDefault();
    this.#negate(field);
    this.#list.push({ kind: "condition", method, text });
  }

  /** A call that makes a condition; `made`: the text of the value that the field is compared with. */
  condition(call: Call, made?: string): void {
    if (!Object.hasOwn(FORMS, call.name)) invalid("a query has no such method");
    const field = this.#names.name(call.text(0));
    this.#joinByDefault();
    let method = call.name;
    const opposite = this.#isNegated && OPPOSITES[method];
    if (opposite) {
      method = opposite;
      this.#isNegated = false;
    }
    // A negated `whereExists` asks for documents without the field. "Has the field, and not …" would exclude just these.
    this.#negate(method === "whereExists" ? undefined : field);
    const value = call.value(1);
    if (method === "containsAll" && Array.isArray(value) && value.length === 0) {
      this.#list.push({ kind: "true" });
      return;
    }
    const isBetween = method === "whereBetween";
    let parameter = made ?? "";
    if (method !== "whereExists" && !made) {
      const open = isBetween || /Greater/.test(method) ? LEAST : /Less/.test(method) ? MOST : null;
      parameter = this.#parameters.add(value ?? open);
    }
    if (isBetween) parameter += ` and ${this.#parameters.add(call.value(2) ?? MOST)}`;
    if (method === "search" && call.value(2) === "AND") parameter += ", and";
    const form = (FORMS[method] as string).replace(/[@#]/g, (sign) => (sign === "@" ? field : parameter));
    const text = call.value(isBetween ? 3 : 2) === true ? `exact(${form})` : form;
    this.#list.push({ kind: "condition", method, text });
  }

  get #last(): Clause | undefined {
    return this.#list.at(-1);
  }

  /** The opening bracket that belongs to the last clause, which is a closing bracket. */
  get #opening(): OpeningBracket {
    let depth = 0;
    const opening = [...this.#list].reverse().find(({ kind }) => {
      if (kind === "close") depth++;
      return kind === "open" && --depth === 0;
    });
    return opening as OpeningBracket;
  }

  /** If the app gives no operator between two conditions, it is the default one; after a search it is `or`. */
  #joinByDefault(): void {
    if (!ENDS.includes(this.#last?.kind)) return;
    const conditions = this.#list.filter((clause) => clause.kind === "condition");
    const operator = conditions.at(-1)?.method === "search" ? "or" : this.operator;
    this.#list.push({ kind: "operator", text: operator });
  }

  /**
   * Adds a pending negation. RavenDB has no queries of negations alone: the first condition becomes "has the field, and not …".
   * `field`: as for `add`.
   */
  #negate(field?: string): void {
    if (!this.#isNegated) return;
    this.#isNegated = false;
    if (!this.#last || this.#last.kind === "open") {
      this.#list.push(
        field ? { kind: "condition", method: "whereExists", text: `exists(${field})` } : { kind: "true" },
        { kind: "operator", text: "and" },
      );
    }
    this.#list.push({ kind: "not" });
  }

  #assertNoOperator(): void {
    if (this.#last?.kind === "operator") misplaced("there is an operator at this place already");
  }

  #join(text: string): void {
    this.#assertNoOperator();
    if (this.#list.length > 0) this.#list.push({ kind: "operator", text });
  }

  /** The last clause, which must be a condition of this method. */
  #lastOf(method: string, message: string): Condition {
    const last = this.#last;
    return last?.kind === "condition" && last.method === method ? last : misplaced(message);
  }

  /** `where` and all clauses; empty if there are none. */
  get text(): string {
    const { inner } = this;
    return inner && (this.#intersects ? ` where intersect(${inner}) ` : ` where ${inner}`);
  }

  /** All clauses; empty if there are none. */
  get inner(): string {
    if (this.#depth > 0) misplaced("an openSubclause has no closeSubclause");
    let text = "";
    let isSpaced = false;
    for (const clause of this.#list) {
      const { kind } = clause;
      if (isSpaced && kind !== "close" && kind !== "intersect") text += " ";
      isSpaced = kind !== "open";
      text += written(clause);
    }
    return text;
  }
}

function written(clause: Clause): string {
  const { kind } = clause;
  if (kind === "open") return clause.boost ? "boost(" : "(";
  if (kind === "close") return clause.boost ? `, ${clause.boost})` : ")";
  if (kind === "intersect") return ",";
  let { text = kind } = clause;
  if (kind === "condition")
    for (const factor of [clause.distance, clause.boost])
      if (factor) text = `${factor[0]}(${text}, ${factor[1]})`;
  return text;
}
