// Queries in RQL: recorded calls, `[["collection","Orders"],["whereEquals","name","a"],…]`, become the body of `POST /queries`.
//
// The calls are checked in their order. What the app gives as a value goes into the parameters; what it gives as a name goes
// through `names.js`, which leaves nothing that RQL could read as anything else. The texts are those of RavenDB's own
// clients, so that indexes and caches are shared with them.

import { Call, misplaced } from "./call.js";
import { Clauses } from "./clauses.js";
import { alias, DOCUMENT, Names, quoted } from "./names.js";
import { Parameters } from "./parameters.js";
import { Select, wantsName } from "./select.js";

/** The calls that a query in the app's own words takes, too. */
const RAW =
  "skip take waitForNonStaleResults noCaching timings addParameter raw identity usingDefaultOperator".split(
    " ",
  );

const ORDERINGS = new Map([
  ["Long", " as long"],
  ["Double", " as double"],
  ["AlphaNumeric", " as alphaNumeric"],
]);
const NULLS = new Map([
  ["First", " nulls first"],
  ["Last", " nulls last"],
]);

/** Whether a call is a method of an object's class. */
const has = (of, name) => Object.hasOwn(Object.getPrototypeOf(of), name);

/** A query while its calls are read: each is a method of this, of `Select` or of `Clauses`. */
class Query {
  #from = "";
  /** Whether a collection is queried, and not an index by its name: then RavenDB makes the index. */
  #isDynamic = false;
  #raw;
  #names = new Names();
  #parameters = new Parameters();
  #clauses = new Clauses(this.#names, this.#parameters);
  #select = new Select(this.#names);
  #groups = [];
  #orders = [];
  #includes = new Set();
  #timings = false;
  #skip = null;
  #take = null;
  #wait = 0;
  #noCaching = false;

  /** Takes calls in. */
  static of(calls) {
    const query = new Query();
    // As JSON has them: dates are texts, and what the app changes later stays out.
    const all = JSON.parse(JSON.stringify(calls)).map((call) => new Call(call));
    query.#names.qualified = all.some(wantsName);
    for (const call of all) query.#apply(call);
    return query;
  }

  #apply(call) {
    const { name } = call;
    if (this.#raw && !RAW.includes(name))
      misplaced("a raw query says everything in its text: only parameters, paging and options can be added");
    const target = [this, this.#select, this.#clauses].find((part) => has(part, name));
    if (target) target[name](call);
    else this.#clauses.condition(call);
  }

  skip(call) {
    this.#skip = call.count(0);
  }

  take(call) {
    this.#take = call.count(0);
  }

  /** The longest time that was asked for counts. */
  waitForNonStaleResults(call) {
    this.#wait = Math.max(this.#wait, call.count(0));
  }

  noCaching() {
    this.#noCaching = true;
  }

  timings() {
    this.#timings = true;
  }

  addParameter(call) {
    const name = call.text(0).replace(/^\$/, "");
    if (this.#parameters.has(name)) misplaced("a parameter of that name was already added");
    this.#parameters.set(name, call.value(1));
  }

  raw(call) {
    this.#raw = call.text(0);
  }

  identity(call) {
    this.#names.identity = call.text(0);
  }

  collection(call) {
    this.#isDynamic = true;
    this.#source("from ", call);
  }

  index(call) {
    this.#source("from index ", call);
  }

  #source(from, call) {
    // What a function of the app's own calls documents.
    const documents = call.optionalText(1);
    this.#from = from + quoted(call.text(0)) + (documents && ` as ${documents}`);
  }

  groupBy(call) {
    this.#group(call, (field) => field);
  }

  groupByArray(call) {
    this.#group(call, (field) => `Array(${field})`);
  }

  #group(call, written) {
    if (!this.#isDynamic) misplaced("groupBy works on collections, not on an index of its own");
    this.#names.grouped = true;
    this.#groups.push(written(this.#names.name(call.text(0))));
  }

  include(call) {
    const path = call.text(0);
    // RavenDB's own clients quote more here than elsewhere.
    this.#includes.add(/^[\w.]*$/.test(path) && !this.#names.qualified ? alias(path) : quoted(path));
  }

  orderBy(call) {
    this.#order(call, "");
  }

  orderByDescending(call) {
    this.#order(call, " desc");
  }

  /** By its text (the default), as a number, or by a sorter of the server. */
  #order(call, descending) {
    const field = this.#names.name(call.text(0));
    const sorter = call.optionalText(3);
    const order = sorter ? `custom(${field}, ${quoted(sorter)})` : field;
    const ordering = ORDERINGS.get(call.value(1)) ?? "";
    const nulls = NULLS.get(call.value(2)) ?? "";
    this.#orders.push(order + ordering + descending + nulls);
  }

  orderByScore() {
    this.#orders.push("score()");
  }

  orderByScoreDescending() {
    this.#orders.push("score() desc");
  }

  randomOrdering(call) {
    this.#noCaching = true;
    const seed = call.optionalText(0);
    this.#orders.push(`random(${seed && quoted(seed)})`);
  }

  #text() {
    if (this.#raw) return this.#raw;
    if (!this.#from) misplaced("a query needs a collection or the name of an index");
    const includes = [...this.#includes, ...(this.#timings ? ["timings()"] : [])];
    return [
      this.#from,
      this.#names.qualified ? ` as ${DOCUMENT}` : "",
      listed(" group by ", this.#groups, ", "),
      this.#clauses.text,
      listed(" order by ", this.#orders, ", "),
      this.#select.text,
      listed(" include ", includes, ","),
    ].join("");
  }

  get body() {
    let text = this.#text();
    if (this.#skip > 0 || this.#take !== null) {
      const [skip, take] = [this.#skip, this.#take].map((count) => this.#parameters.add(count));
      text += ` limit ${skip}, ${take}`;
    }
    const wait = `,"WaitForNonStaleResults":true,"WaitForNonStaleResultsTimeout":${this.#wait}`;
    const options = (this.#wait > 0 ? wait : "") + (this.#noCaching ? ',"DisableCaching":true' : "");
    return `{"Query":${JSON.stringify(text)}${options},"QueryParameters":${this.#parameters.json}}`;
  }
}

function listed(before, items, between) {
  return items.length > 0 ? before + items.join(between) : "";
}

/** The body of the query that was recorded. Its names are those of npm `ravendb`; `collection`, `index` or `raw` say what is queried. */
export function render(calls) {
  return Query.of(calls).body;
}

/** Refuses what cannot be meant, in a query that goes on. */
export function check(calls) {
  Query.of(calls);
}
