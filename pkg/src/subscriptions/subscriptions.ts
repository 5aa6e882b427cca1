// Subscriptions, which are loaded when they are first used.

import { type IncludeCall, isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { camel, pascal } from "../common/member-case.js";
import type { DocumentType } from "../documents/entity-types.js";
import type { CommandRequest } from "../operations/operation-types.js";
import { quoted } from "../rql/names-and-parameters.js";
import type { StoreBase } from "../store/store.js";
import { rqlOfSubscription } from "../time-series/session/included-series.js";
import { ask } from "../wire/command-request.js";
import { query } from "../wire/query-string.js";
import type {
  DocumentSubscriptions,
  ISubscriptionIncludeBuilder,
  SubscriptionCreationOptions,
  SubscriptionState,
  SubscriptionWorker,
  SubscriptionWorkerOptions,
} from "./subscription-types.js";
import { subscriptionWorker } from "./subscription-worker.js";

function subscriptionsOf(store: StoreBase): DocumentSubscriptions {
  const workers = new Set<SubscriptionWorker<object>>();

  function opened(database: string | undefined): StoreBase {
    const chosen = store.of(database);
    chosen.assertOpen();
    chosen.assertDatabase();
    return chosen;
  }

  async function send(request: CommandRequest, database: string | undefined): Promise<string> {
    return (await ask(opened(database), request)).text;
  }

  async function create(
    given: SubscriptionCreationOptions | DocumentType,
    isForRevisions: boolean,
    database: string | undefined,
  ): Promise<string> {
    const { conventions } = store;
    // The rules of plurals, which name the collections of classes.
    await conventions.ready();
    const body = pascal(withQuery(given, isForRevisions, conventions));
    const text = await send({ method: "PUT", route: "subscriptions", body }, database);
    return (JSON.parse(text) as { Name: string }).Name;
  }

  async function toggle(name: string, disable: boolean, database: string | undefined): Promise<void> {
    const parameters = query(Object.entries({ key: 0, type: "Subscription", disable, taskName: name }));
    await send({ method: "POST", route: `admin/tasks/state?${parameters}` }, database);
  }

  async function drop(named: Record<string, string>, database: string | undefined): Promise<void> {
    const route = `subscriptions/drop?${query(Object.entries(named))}`;
    await send({ method: "POST", route }, database);
  }

  function workerOf<T extends object, Received extends object>(
    given: SubscriptionWorkerOptions<T> | string,
    revisions: boolean,
    database: string | undefined,
  ): SubscriptionWorker<Received> {
    const chosen = opened(database);
    if (!given) fail("InvalidArgument", "a subscription worker needs options, or the name of a subscription");
    const options = typeof given === "string" ? { subscriptionName: given } : given;
    const worker = subscriptionWorker(chosen, options as SubscriptionWorkerOptions<object>, revisions, () =>
      workers.delete(worker),
    );
    workers.add(worker);
    return worker as object as SubscriptionWorker<Received>;
  }

  function dispose(): void {
    for (const worker of workers) worker.dispose();
  }

  store.events.on("beforeDispose", dispose);
  return {
    create: (given: SubscriptionCreationOptions | DocumentType, database?: string) =>
      create(given, false, database),
    createForRevisions: (options, database) => create(options ?? {}, true, database),
    async update(options, database) {
      if (!options?.name && !options?.id)
        fail("InvalidArgument", "update needs the name or the id of the subscription");
      const { includes: _, documentType: __, ...members } = options;
      const body = pascal(members);
      const text = await send({ method: "POST", route: "subscriptions/update", body }, database);
      // Without a text: nothing was changed.
      return text ? (JSON.parse(text) as { Name: string }).Name : (options.name as string);
    },
    async getSubscriptions(start, take, database) {
      const route = `subscriptions?${query(Object.entries({ start, pageSize: take }))}`;
      const { Results } = JSON.parse(await send({ route }, database)) as { Results: object[] };
      return camel(Results) as SubscriptionState[];
    },
    async getSubscriptionState(name, database) {
      if (!name) fail("InvalidArgument", "getSubscriptionState needs the name of a subscription");
      const route = `subscriptions/state?${query([["name", name]])}`;
      return camel(JSON.parse(await send({ route }, database))) as SubscriptionState;
    },
    async delete(name, database) {
      const route = `subscriptions?${query([["taskName", name]])}`;
      await send({ method: "DELETE", route }, database);
    },
    enable: (name, database) => toggle(name, false, database),
    disable: (name, database) => toggle(name, true, database),
    dropConnection: (name, database) => drop({ name }, database),
    async dropSubscriptionWorker(worker, database) {
      await drop({ name: worker.subscriptionName, workerId: worker.getWorkerId() }, database);
    },
    getSubscriptionWorker: (options, database) => workerOf(options, false, database),
    getSubscriptionWorkerForRevisions: (options, database) => workerOf(options, true, database),
    dispose,
  };
}

const all = new WeakMap<StoreBase, DocumentSubscriptions>();

/** `store.subscriptions` of a store. */
export function ofStore(store: StoreBase): DocumentSubscriptions {
  const known = all.get(store) ?? subscriptionsOf(store);
  all.set(store, known);
  return known;
}

/** Options, or a class, as options with the text of the query. */
function withQuery(
  given: SubscriptionCreationOptions | DocumentType,
  isForRevisions: boolean,
  conventions: StoreBase["conventions"],
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
