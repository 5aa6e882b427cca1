// Counters in sessions, which are loaded when they are first used: `session.countersFor` defers operations on the counters of a document, and
// reads counters; includes, and the body of a save.

import { documentId, isDeleted } from "../capabilities/about-a-document.js";
import type { RqlWriter, SendBatch } from "../capabilities/session-part.js";
import { AnyThis } from "../common/any-this.js";
import { type IncludeCall, isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import { GetCountersOperation } from "../operations/counter-operations.js";
import { operate } from "../operations/execute.js";
import { quoted } from "../rql/names-and-parameters.js";
import type { Batch } from "../saving/batch.js";
import type { SessionState } from "../session/session-state.js";
import type { Parameter } from "../wire/query-string.js";
import { known, namesOf } from "./counter-cache.js";
import { assertWhole, CounterOperation, CountersBatchCommandData } from "./counter-commands.js";
import type { CounterOperationType, CountersDetail, ISessionDocumentCounters } from "./counter-types.js";

/** What `GET docs` takes for all counters. */
const ALL = "@all_counters";

/** The parameters of a load. */
export function parameters(calls: readonly IncludeCall[]): Parameter[] {
  for (const [method, ...given] of calls) {
    const isAll = method === "includeAllCounters";
    if (given.length > (isAll ? 0 : 1))
      fail("InvalidArgument", "a load includes counters of its own documents: only a query takes a path");
    if (!isAll) assertNames(given[0]);
  }
  const all = calls.filter(([method]) => method === "includeAllCounters");
  if (all.length === 0) return namesOf(calls).map((name) => ["counter", name]);
  if (all.length < calls.length)
    fail("InvalidOperation", "includeAllCounters includes the other counters, too: call it alone");
  return [["counter", ALL]];
}

function assertNames(given: unknown): asserts given is string | string[] {
  if (![given].flat().every(isText)) fail("InvalidArgument", "a counter needs a name");
}

/** `counters('likes')`, `counters(customer, 'likes')`, `counters()`, `counters(customer)`. */
export function rql([method, first, second]: IncludeCall, { path }: RqlWriter): string[] {
  const isAll = method === "includeAllCounters";
  const [source, names] = isAll ? [first] : second === undefined ? [undefined, first] : [first, second];
  const from = source === undefined ? [] : [path(source as string)];
  if (isAll) return [`counters(${from})`];
  assertNames(names);
  return [names].flat().map((name) => `counters(${[...from, quoted(name)].join(", ")})`);
}

export { applyResult, include } from "./counter-cache.js";

/** Sends a batch with commands about counters. */
export function send(_: SessionState, { cluster }: Batch, send: SendBatch): Promise<string> {
  if (cluster) fail("InvalidOperation", "a cluster-wide transaction takes no counters");
  return send();
}

class SessionDocumentCounters extends AnyThis implements ISessionDocumentCounters {
  #state;
  #id;

  constructor(state: SessionState, target: string | object) {
    super();
    this.#state = state;
    this.#id = documentId(state, target, "counters");
  }

  increment(counter: string, delta = 1): void {
    assertName(counter);
    assertWhole(delta);
    if (isDeleted(this.#state, this.#id))
      this.#refuse("increment", counter, "the document is deleted in this session");
    if (this.#pending.some((command) => command.hasDelete(counter)))
      this.#refuse("increment", counter, "a deferred command is to delete it");
    this.#add(counter, "Increment", delta);
  }

  delete(counter: string): void {
    assertName(counter);
    const { deferred } = this.#state.unitOfWork;
    if (isDeleted(this.#state, this.#id)) return;
    if (deferred.some(({ type, id }) => type === "DELETE" && idKey(id ?? "") === idKey(this.#id))) return;
    if (this.#pending.some((command) => command.hasIncrement(counter)))
      this.#refuse("delete", counter, "a deferred command is to increment it");
    this.#add(counter, "Delete");
    known(this.#state, this.#id).delete(counter);
  }

  discard(): void {
    const state = this.#state;
    for (const command of this.#pending)
      if (!state.isSealed(command)) state.unitOfWork.evictedCommand(command);
  }

  async get(counter: string): Promise<number | null>;
  async get(counters: string[]): Promise<Record<string, number>>;
  async get(given: string | string[]): Promise<number | null | Record<string, number>> {
    return this.#state.inOrder<number | null | Record<string, number>>(
      () => (Array.isArray(given) ? this.#several(given) : this.#one(given)),
      "get",
    );
  }

  async getAll(): Promise<Record<string, number>> {
    return this.#state.inOrder(async () => {
      const cache = known(this.#state, this.#id);
      const listed = this.#listed;
      const isKnown = listed ? listed.every((name) => cache.has(name)) : cache.gotAll;
      if (!isKnown) {
        const { counters } = await this.#request();
        cache.clear();
        cache.addAll(counters);
      }
      cache.gotAll = true;
      return existing(cache.all);
    }, "getAll");
  }

  async #one(counter: string): Promise<number | null> {
    assertName(counter);
    const cache = known(this.#state, this.#id);
    if (cache.has(counter)) return cache.get(counter) ?? null;
    const listed = this.#listed;
    const isAbsent = listed ? !includes(listed, counter) : cache.gotAll;
    const [found] = isAbsent ? [] : (await this.#request([counter])).counters;
    const value = found?.totalValue ?? null;
    cache.set(counter, value);
    return value;
  }

  async #several(counters: string[]): Promise<Record<string, number>> {
    const cache = known(this.#state, this.#id);
    const listed = this.#listed;
    const isKnown = (name: string) => cache.has(name) || cache.gotAll || (listed && !includes(listed, name));
    if (counters.every(isKnown)) return existing(counters.map((name) => [name, cache.get(name)]));
    const found = (await this.#request(counters)).counters.filter((counter) => counter !== null);
    cache.addAll(found);
    return Object.fromEntries(found.map(({ counterName, totalValue }) => [counterName, totalValue]));
  }

  #request(counters?: string[]): Promise<CountersDetail> {
    const state = this.#state;
    state.count();
    const operation = new GetCountersOperation(this.#id, counters);
    return operate(state.store, operation, undefined) as Promise<CountersDetail>;
  }

  /** The names in the metadata of the document, if the session has it. */
  get #listed(): string[] | undefined {
    const { unitOfWork } = this.#state;
    const slot = unitOfWork.slot(this.#id);
    if (slot < 0) return undefined;
    return (unitOfWork.at(slot)["@metadata"]?.["@counters"] ?? []) as string[];
  }

  /** The commands about counters of the document that are deferred. */
  get #pending(): CountersBatchCommandData[] {
    const all = this.#state.unitOfWork.deferred.filter(
      (command) => command instanceof CountersBatchCommandData,
    );
    return all.filter(({ id }) => idKey(id) === idKey(this.#id));
  }

  #add(counter: string, type: CounterOperationType, delta?: number): void {
    const operation = CounterOperation.create(counter, type, delta);
    // A command that was sent stays as it is: what is added to it would be taken for saved.
    const open = this.#pending.find((command) => !command.isUnknown && !this.#state.isSealed(command));
    if (open) open.counters.operations.push(operation);
    else this.#state.unitOfWork.storedCommand(new CountersBatchCommandData(this.#id, operation));
  }

  #refuse(what: string, counter: string, why: string): never {
    fail("InvalidOperation", `cannot ${what} the counter ${counter} of ${this.#id}: ${why}`);
  }
}

function assertName(counter: unknown): void {
  if (!isText(counter)) fail("InvalidArgument", "a counter needs a name");
}

const includes = (names: readonly string[], name: string): boolean =>
  names.some((each) => idKey(each) === idKey(name));

/** Without the counters that are known not to exist. */
const existing = (all: [name: string, value: number | null | undefined][]): Record<string, number> =>
  Object.fromEntries(all.filter((each): each is [string, number] => each[1] != null));

export const of = (state: SessionState, target: string | object): SessionDocumentCounters =>
  new SessionDocumentCounters(state, target);
