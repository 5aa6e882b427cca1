// Subscriptions, which are loaded when they are first used.

import { AnyThis } from "../common/any-this.js";
import { type IncludeCall, isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { camel, pascal } from "../common/member-case.js";
import type { DocumentType, ObjectTypeDescriptor } from "../documents/entity-types.js";
import type { CommandRequest } from "../operations/operation-types.js";
import { quoted } from "../rql/names-and-parameters.js";
import type { StoreBase } from "../store/store.js";
import { rqlOfSubscription } from "../time-series/session/included-series.js";
import { ask } from "../wire/command-request.js";
import { query } from "../wire/query-string.js";
import type {
  DocumentSubscriptions,
  ISubscriptionIncludeBuilder,
  Revision,
  SubscriptionCreationOptions,
  SubscriptionState,
  SubscriptionUpdateOptions,
  SubscriptionWorker,
  SubscriptionWorkerOptions,
} from "./subscription-types.js";
import { SubscriptionReceiver } from "./subscription-worker.js";

class Subscriptions extends AnyThis implements DocumentSubscriptions {
  #store;
  #workers = new Set<SubscriptionReceiver>();

  constructor(store: StoreBase) {
    super();
    this.#store = store;
    store.events.on("beforeDispose", () => this.dispose());
  }

  async create(options: SubscriptionCreationOptions | DocumentType, database?: string): Promise<string> {
    return this.#create(options, false, database);
  }

  async createForRevisions(options: SubscriptionCreationOptions, database?: string): Promise<string> {
    return this.#create(options ?? {}, true, database);
  }

  async #create(
    given: SubscriptionCreationOptions | DocumentType,
    isForRevisions: boolean,
    database?: string,
  ): Promise<string> {
    const { conventions } = this.#store;
    // The rules of plurals, which name the collections of classes.
    await conventions.ready();
    const body = pascal(withQuery(given, isForRevisions, conventions));
    const text = await this.#ask({ method: "PUT", route: "subscriptions", body }, database);
    return (JSON.parse(text) as { Name: string }).Name;
  }

  async update(options: SubscriptionUpdateOptions, database?: string): Promise<string> {
    if (!options?.name && !options?.id)
      fail("InvalidArgument", "update needs the name or the id of the subscription");
    const { includes: _, documentType: __, ...members } = options;
    const body = pascal(members);
    const text = await this.#ask({ method: "POST", route: "subscriptions/update", body }, database);
    // Without a text: nothing was changed.
    return text ? (JSON.parse(text) as { Name: string }).Name : (options.name as string);
  }

  async getSubscriptions(start: number, take: number, database?: string): Promise<SubscriptionState[]> {
    const route = `subscriptions?${query(Object.entries({ start, pageSize: take }))}`;
    const { Results } = JSON.parse(await this.#ask({ route }, database)) as { Results: object[] };
    return camel(Results) as SubscriptionState[];
  }

  async getSubscriptionState(name: string, database?: string): Promise<SubscriptionState> {
    if (!name) fail("InvalidArgument", "getSubscriptionState needs the name of a subscription");
    const route = `subscriptions/state?${query([["name", name]])}`;
    return camel(JSON.parse(await this.#ask({ route }, database))) as SubscriptionState;
  }

  async delete(name: string, database?: string): Promise<void> {
    const route = `subscriptions?${query([["taskName", name]])}`;
    await this.#ask({ method: "DELETE", route }, database);
  }

  async enable(name: string, database?: string): Promise<void> {
    await this.#toggle(name, false, database);
  }

  async disable(name: string, database?: string): Promise<void> {
    await this.#toggle(name, true, database);
  }

  async #toggle(name: string, disable: boolean, database?: string): Promise<void> {
    const parameters = query(Object.entries({ key: 0, type: "Subscription", disable, taskName: name }));
    await this.#ask({ method: "POST", route: `admin/tasks/state?${parameters}` }, database);
  }

  async dropConnection(name: string, database?: string): Promise<void> {
    await this.#drop({ name }, database);
  }

  async dropSubscriptionWorker<T extends object>(
    worker: SubscriptionWorker<T>,
    database?: string,
  ): Promise<void> {
    await this.#drop({ name: worker.subscriptionName, workerId: worker.getWorkerId() }, database);
  }

  async #drop(named: Record<string, string>, database?: string): Promise<void> {
    const route = `subscriptions/drop?${query(Object.entries(named))}`;
    await this.#ask({ method: "POST", route }, database);
  }

  getSubscriptionWorker<T extends object>(
    options: SubscriptionWorkerOptions<T> | string,
    database?: string,
  ): SubscriptionWorker<T> {
    return this.#worker(options, false, database) as object as SubscriptionWorker<T>;
  }

  getSubscriptionWorkerForRevisions<T extends object>(
    options: SubscriptionWorkerOptions<T> | string,
    database?: string,
  ): SubscriptionWorker<Revision<T>> {
    return this.#worker(options, true, database) as object as SubscriptionWorker<Revision<T>>;
  }

  #worker<T extends object>(
    given: SubscriptionWorkerOptions<T> | string,
    revisions: boolean,
    database?: string,
  ): SubscriptionReceiver {
    const store = this.#open(database);
    if (!given) fail("InvalidArgument", "a subscription worker needs options, or the name of a subscription");
    const options = typeof given === "string" ? { subscriptionName: given } : given;
    const worker = new SubscriptionReceiver(
      store,
      options as SubscriptionWorkerOptions<object>,
      revisions,
      (ended) => this.#workers.delete(ended),
    );
    this.#workers.add(worker);
    return worker;
  }

  dispose(): void {
    for (const worker of this.#workers) worker.dispose();
  }

  async #ask(request: CommandRequest, database?: string): Promise<string> {
    return (await ask(this.#open(database), request)).text;
  }

  #open(database: string | undefined): StoreBase {
    const store = this.#store.of(database);
    store.assertOpen();
    store.assertDatabase();
    return store;
  }
}

const all = new WeakMap<StoreBase, Subscriptions>();

/** `store.subscriptions` of a store. */
export function ofStore(store: StoreBase): DocumentSubscriptions {
  const known = all.get(store) ?? new Subscriptions(store);
  all.set(store, known);
  return known;
}

/** The conventions that name the collection of a class. */
interface Conventions {
  classOf(type: DocumentType | null | undefined): ObjectTypeDescriptor | undefined;
  getCollectionNameForType(type: ObjectTypeDescriptor): string;
}

/** Options, or a class, as options with the text of the query. */
function withQuery(
  given: SubscriptionCreationOptions | DocumentType,
  isForRevisions: boolean,
  conventions: Conventions,
): SubscriptionCreationOptions {
  const isType = !isObject(given) || "isType" in given;
  const options: SubscriptionCreationOptions = isType ? { documentType: given as DocumentType } : given;
  const { includes, documentType, ...rest } = options;
  let { query } = rest;
  if (!query) {
    const type =
      conventions.classOf(documentType) ??
      fail("InvalidArgument", "a subscription needs a query, or the documentType whose documents it sends");
    const revisions = isForRevisions ? " (Revisions = true)" : "";
    query = `from ${quoted(conventions.getCollectionNameForType(type))}${revisions} as doc`;
  }
  const included = includes ? listed(includes) : [];
  return { ...rest, query: query + (included.length > 0 ? `\ninclude ${included.join()}` : "") };
}

function listed(includes: (builder: ISubscriptionIncludeBuilder) => void): string[] {
  const found = new Set<string>();
  const add = (...items: string[]) => {
    for (const item of items) found.add(item);
    return builder;
  };
  const counter = (name: string) => {
    if (!name?.trim?.()) fail("InvalidArgument", "the name of an included counter is not blank");
    return `counters(${quoted(name)})`;
  };
  const series: IncludeCall[] = [];
  const addSeries = (...call: IncludeCall) => {
    series.push(call);
    return builder;
  };
  const builder: ISubscriptionIncludeBuilder = {
    includeDocuments: (path) => add(/^[\w.]+$/.test(path) ? `doc.${path}` : quoted(`doc.${path}`)),
    includeCounter: (name) => add(counter(name)),
    includeCounters: (names) => add(...Array.from(names, counter)),
    includeAllCounters: () => add("counters()"),
    includeTimeSeries: (...given) => addSeries("includeTimeSeries", ...given),
    includeAllTimeSeries: (...given) => addSeries("includeAllTimeSeries", ...given),
  };
  includes(builder);
  return [...found, ...rqlOfSubscription(series)];
}
