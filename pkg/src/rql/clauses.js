// What documents must be like: the clauses of `where`.

import { invalid, misplaced } from "./call.js";

/** How conditions read, by the method that makes them: `@` is the field, `#` the parameter. */
const FORMS = {
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

/** The least and the most there is, for `null` in comparisons that are open above or below. */
const LEAST = "*";
const MOST = "NULL";

/** What a condition becomes behind `not`. */
const OPPOSITES = { whereEquals: "whereNotEquals", whereNotEquals: "whereEquals" };

// A clause has a `kind`: "condition", "open", "close", "operator", "intersect", "true" or "not".
const ENDS = ["condition", "close", "true"];

export class Clauses {
  #list = [];
  #depth = 0;
  #isNegated = false;
  #operator = "and";
  #intersects = false;
  #names;
  #parameters;

  constructor(names, parameters) {
    this.#names = names;
    this.#parameters = parameters;
  }

  /** Conditions are alternatives where the app does not say how they are joined. */
  usingDefaultOperator(call) {
    if (this.#list.length > 0) misplaced("the default operator has to be said before the first condition");
    this.#operator = call.value(0) === "OR" ? "or" : "and";
  }

  not() {
    this.#isNegated = !this.#isNegated;
  }

  negateNext() {
    this.not();
  }

  andAlso(call) {
    if (this.#list.length > 0 && call.value(0) === true) {
      this.#assertNoOperator();
      this.#list.unshift({ kind: "open" });
      this.#list.push({ kind: "close" });
    }
    this.#join("and");
  }

  orElse() {
    this.#join("or");
  }

  openSubclause() {
    this.#depth += 1;
    this.#joinByDefault();
    this.#negate();
    this.#list.push({ kind: "open" });
  }

  closeSubclause() {
    if (this.#depth === 0) misplaced("closeSubclause without an openSubclause before it");
    this.#depth -= 1;
    this.#list.push({ kind: "close" });
  }

  intersect() {
    if (!["condition", "close"].includes(this.#last?.kind))
      misplaced("intersect stands between two conditions");
    this.#intersects = true;
    this.#list.push({ kind: "intersect" });
  }

  fuzzy(call) {
    const condition = this.#lastOf("whereEquals", "fuzzy stands right behind whereEquals");
    const factor = call.number(0);
    if (factor > 1) invalid("the distance of fuzzy is between 0 and 1");
    condition.distance = ["fuzzy", factor];
  }

  proximity(call) {
    const condition = this.#lastOf("search", "proximity stands right behind search");
    condition.distance = ["proximity", call.number(0)];
  }

  boost(call) {
    const factor = call.number(0);
    if (factor === 1) return;
    const last = this.#last;
    if (last?.kind === "condition") {
      last.boost = ["boost", factor];
    } else if (last?.kind === "close") {
      last.boost = this.#parameters.add(factor);
      let depth = 0;
      const opening = this.#list.findLast(({ kind }) => {
        depth += { close: 1, open: -1 }[kind] ?? 0;
        return depth === 0;
      });
      opening.boost = true;
    } else {
      misplaced("boost stands right behind a condition");
    }
  }

  /** A call that makes a condition. */
  condition(call) {
    if (!Object.hasOwn(FORMS, call.name)) invalid("a query has no such method");
    const field = this.#names.name(call.text(0));
    this.#joinByDefault();
    let method = call.name;
    if (this.#isNegated && OPPOSITES[method]) {
      method = OPPOSITES[method];
      this.#isNegated = false;
    }
    // "That have it, and not …" would be none of those without it.
    this.#negate(method === "whereExists" ? undefined : field);
    const value = call.value(1);
    if (method === "containsAll" && Array.isArray(value) && value.length === 0) {
      this.#list.push({ kind: "true" });
      return;
    }
    const isBetween = method === "whereBetween";
    let parameter = "";
    if (method !== "whereExists") {
      const open = isBetween || /Greater/.test(method) ? LEAST : /Less/.test(method) ? MOST : null;
      parameter = this.#parameters.add(value ?? open);
    }
    if (isBetween) parameter += ` and ${this.#parameters.add(call.value(2) ?? MOST)}`;
    if (method === "search" && call.value(2) === "AND") parameter += ", and";
    const form = FORMS[method].replace(/[@#]/g, (sign) => (sign === "@" ? field : parameter));
    const text = call.value(isBetween ? 3 : 2) === true ? `exact(${form})` : form;
    this.#list.push({ kind: "condition", method, text });
  }

  get #last() {
    return this.#list.at(-1);
  }

  /** Between two conditions stands an operator, whether the app says one or not; behind a search it is `or`. */
  #joinByDefault() {
    if (!ENDS.includes(this.#last?.kind)) return;
    const last = this.#list.findLast(({ kind }) => kind === "condition");
    this.#list.push({ kind: "operator", text: last?.method === "search" ? "or" : this.#operator });
  }

  /** Writes down a negation. RavenDB knows no query that is only negative: "those that have the field, and not …". */
  #negate(field) {
    if (!this.#isNegated) return;
    this.#isNegated = false;
    if (["open", undefined].includes(this.#last?.kind)) {
      this.#list.push(
        field ? { kind: "condition", method: "whereExists", text: `exists(${field})` } : { kind: "true" },
        { kind: "operator", text: "and" },
      );
    }
    this.#list.push({ kind: "not" });
  }

  #assertNoOperator() {
    if (this.#last?.kind === "operator") misplaced("there is an operator at this place already");
  }

  #join(text) {
    this.#assertNoOperator();
    if (this.#list.length > 0) this.#list.push({ kind: "operator", text });
  }

  #lastOf(method, message) {
    return this.#last?.method === method ? this.#last : misplaced(message);
  }

  /** `where` and all clauses; empty where there is none. */
  get text() {
    if (this.#depth > 0) misplaced("an openSubclause has no closeSubclause");
    if (this.#list.length === 0) return "";
    let text = "";
    let isSpaced = false;
    for (const clause of this.#list) {
      const { kind } = clause;
      if (isSpaced && kind !== "close" && kind !== "intersect") text += " ";
      isSpaced = kind !== "open";
      text += written(clause);
    }
    return this.#intersects ? ` where intersect(${text}) ` : ` where ${text}`;
  }
}

function written({ kind, text = kind, boost, distance }) {
  if (kind === "open") return boost ? "boost(" : "(";
  if (kind === "close") return boost ? `, ${boost})` : ")";
  if (kind === "intersect") return ",";
  let whole = text;
  for (const [name, factor] of [distance, boost].filter(Boolean)) whole = `${name}(${whole}, ${factor})`;
  return whole;
}
