// The conditions of a filter, which the server checks for each result of the query.

import { AnyThis } from "../../common/any-this.js";
import type { QueryValue } from "../../query/query-options.js";
import { plain } from "../../query/query-parameters.js";
import type { RecordedCall } from "../../rql/call.js";
import type { MethodCall } from "./rql-functions.js";

/** A condition as an object. */
interface WhereParams {
  fieldName: string;
  value: unknown;
  exact?: boolean;
}

/** The conditions of a filter. They are joined by `and` unless the app says something else. */
export interface IFilterFactory {
  equals(fieldName: string, value: QueryValue | MethodCall, exact?: boolean): IFilterFactory;
  equals(condition: WhereParams): IFilterFactory;
  notEquals(fieldName: string, value: QueryValue | MethodCall, exact?: boolean): IFilterFactory;
  notEquals(condition: WhereParams): IFilterFactory;
  greaterThan(fieldName: string, value: QueryValue): IFilterFactory;
  greaterThanOrEqual(fieldName: string, value: QueryValue): IFilterFactory;
  lessThan(fieldName: string, value: QueryValue): IFilterFactory;
  lessThanOrEqual(fieldName: string, value: QueryValue): IFilterFactory;
  andAlso(): IFilterFactory;
  orElse(): IFilterFactory;
  /** Negates the next condition. */
  not(): IFilterFactory;
  openSubclause(): IFilterFactory;
  closeSubclause(): IFilterFactory;
}

export class FilterFactory extends AnyThis implements IFilterFactory {
  #record;

  /** `record`: takes the calls as those of a query. */
  constructor(record: (...call: RecordedCall) => void) {
    super();
    this.#record = record;
  }

  #add(name: string, field: string | WhereParams, value: unknown, exact?: boolean): this {
    const given = typeof field === "string" ? { fieldName: field, value, exact } : field;
    this.#record(name, given.fieldName, plain(given.value), given.exact);
    return this;
  }

  #join(name: string): this {
    this.#record(name);
    return this;
  }

  equals(field: string | WhereParams, value?: unknown, exact?: boolean): this {
    return this.#add("whereEquals", field, value, exact);
  }

  notEquals(field: string | WhereParams, value?: unknown, exact?: boolean): this {
    return this.#add("whereNotEquals", field, value, exact);
  }

  greaterThan(field: string, value: QueryValue): this {
    return this.#add("whereGreaterThan", field, value);
  }

  greaterThanOrEqual(field: string, value: QueryValue): this {
    return this.#add("whereGreaterThanOrEqual", field, value);
  }

  lessThan(field: string, value: QueryValue): this {
    return this.#add("whereLessThan", field, value);
  }

  lessThanOrEqual(field: string, value: QueryValue): this {
    return this.#add("whereLessThanOrEqual", field, value);
  }

  andAlso(): this {
    return this.#join("andAlso");
  }

  orElse(): this {
    return this.#join("orElse");
  }

  not(): this {
    return this.#join("not");
  }

  openSubclause(): this {
    return this.#join("openSubclause");
  }

  closeSubclause(): this {
    return this.#join("closeSubclause");
  }
}
