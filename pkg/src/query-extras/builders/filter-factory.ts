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

/** A condition by the name that queries have for it. */
const condition = (name: string) =>
  function (this: FilterFactory, field: string | WhereParams, value?: unknown, exact?: boolean) {
    const given = typeof field === "string" ? { fieldName: field, value, exact } : field;
    return this.record(name, given.fieldName, plain(given.value), given.exact);
  };
const join = (name: string) =>
  function (this: FilterFactory) {
    return this.record(name);
  };

export class FilterFactory extends AnyThis implements IFilterFactory {
  #record;
  equals: IFilterFactory["equals"] = condition("whereEquals");
  notEquals: IFilterFactory["notEquals"] = condition("whereNotEquals");
  greaterThan: IFilterFactory["greaterThan"] = condition("whereGreaterThan");
  greaterThanOrEqual: IFilterFactory["greaterThanOrEqual"] = condition("whereGreaterThanOrEqual");
  lessThan: IFilterFactory["lessThan"] = condition("whereLessThan");
  lessThanOrEqual: IFilterFactory["lessThanOrEqual"] = condition("whereLessThanOrEqual");
  andAlso: IFilterFactory["andAlso"] = join("andAlso");
  orElse: IFilterFactory["orElse"] = join("orElse");
  not: IFilterFactory["not"] = join("not");
  openSubclause: IFilterFactory["openSubclause"] = join("openSubclause");
  closeSubclause: IFilterFactory["closeSubclause"] = join("closeSubclause");

  /** `record`: takes the calls as those of a query. */
  constructor(record: (...call: RecordedCall) => void) {
    super();
    this.#record = record;
  }

  /** @internal */
  record(...call: RecordedCall): this {
    this.#record(...call);
    return this;
  }
}
