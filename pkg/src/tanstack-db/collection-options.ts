// `raven-edge/tanstack-db`: documents as rows of a collection of TanStack DB.

import { checkNames, isObject, isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import type { Names } from "../named/named-definitions.js";
import type { DocumentStore } from "../store/store-types.js";
import { type Binding, bindings } from "./binding.js";
import type {
  RavenCollectionConfig,
  RavenCollectionOptions,
  RavenRow,
  RowOfSchema,
  RowSchema,
  RowSync,
  SaveContext,
} from "./collection-types.js";
import { utilsOf } from "./collection-utils.js";
import { peer } from "./peer.js";
import { PendingChanges } from "./pending-changes.js";
import { queryRows } from "./query-rows.js";
import type { RowSourceOptions } from "./row-source.js";
import { type AnyRow, keyOf } from "./rows.js";
import { saveMutations } from "./save-mutations.js";
import { setRows } from "./set-rows.js";
import { SyncedRows } from "./synced-rows.js";

const OPTIONS = [
  "store",
  "collection",
  "set",
  "named",
  "parameters",
  "id",
  "every",
  "startSync",
  "gcTime",
  "schema",
] as const;

/** The options, without types of the app. */
interface Given {
  store: DocumentStore;
  collection: string;
  set?: string | undefined;
  named?: string | undefined;
  parameters?: object | undefined;
  id?: string | undefined;
  every?: number | undefined;
  startSync?: boolean | undefined;
  gcTime?: number | undefined;
  schema?: RowSchema | undefined;
}

/**
 * The options of a collection of TanStack DB whose rows are documents. `docs/tanstack-db.md` has the rules.
 *
 * ```ts
 * const orders = createCollection(ravenCollectionOptions<Order>({ store, set: "orders", collection: "Orders" }));
 * orders.insert({ id: await orders.utils.nextId(), total: 10 });
 * ```
 * @throws {RavenEdgeError} `InvalidArgument`; `Unsupported` for a version of `@tanstack/db` that it does not work with.
 */
export function ravenCollectionOptions<Schema extends RowSchema, const Defined extends Names = Names>(
  options: RavenCollectionOptions<RavenRow, Defined> & { schema: Schema },
): RavenCollectionConfig<RowOfSchema<Schema>, Schema> & { schema: Schema };
export function ravenCollectionOptions<T extends object, const Defined extends Names = Names>(
  options: RavenCollectionOptions<T, Defined> & { schema?: undefined },
): RavenCollectionConfig<RavenRow<T>>;
export function ravenCollectionOptions(options: object): unknown {
  const given = checked(options);
  const { store, collection, set, named, parameters, startSync, gcTime, schema } = given;
  const binding: Binding = {
    store,
    collection,
    pending: new PendingChanges(store.offline),
    source: undefined,
  };
  let rows: SyncedRows | undefined;
  let error: Error | undefined;
  const utils = utilsOf(
    binding,
    (key) => rows?.versionOf(key),
    () => error,
  );
  bindings.set(utils, binding);
  const save = ({ transaction }: SaveContext) => saveMutations(transaction.mutations);
  const own = set === undefined ? (named ?? collection) : `set ${set}`;
  return {
    id:
      given.id ?? `raven-edge ${store.database} ${own}${parameters ? ` ${JSON.stringify(parameters)}` : ""}`,
    getKey: keyOf,
    autoIndex: "eager",
    defaultIndexType: peer().BTreeIndex,
    ...(startSync !== undefined && { startSync }),
    ...(gcTime !== undefined && { gcTime }),
    ...(schema && { schema }),
    sync: {
      rowUpdateMode: "full",
      sync: (sync: RowSync<AnyRow>) => {
        const written = new SyncedRows(sync);
        rows = written;
        const stop = follow(given, binding, sync, written, (reason) => {
          error = reason;
        });
        return () => {
          stop();
          if (rows === written) rows = undefined;
        };
      },
    },
    onInsert: save,
    onUpdate: save,
    onDelete: save,
    utils,
  };
}

/** Reads rows from now on; returns the function that ends it. */
function follow(
  given: Given,
  binding: Binding,
  sync: RowSync<AnyRow>,
  rows: SyncedRows,
  report: (error: Error | undefined) => void,
): () => void {
  const { store, collection, set, named, parameters, every } = given;
  const { pending } = binding;
  let isReady = false;
  const options: RowSourceOptions = {
    store,
    collection,
    rows,
    ready: () => {
      isReady = true;
      sync.markReady();
    },
    failed: (error) => {
      report(error);
      // Without a connection the rows may still come.
      const isOutage = (error as { outage?: boolean } | undefined)?.outage;
      if (error && !isReady && !isOutage) sync.markError(error);
    },
  };
  const query = named === undefined ? { collection } : { named, ...(parameters && { parameters }) };
  const source =
    set === undefined
      ? queryRows(options, query, every)
      : setRows(options, store.offline.set(set), (key) => pending.of(key).length > 0);
  binding.source = source;
  const refresh = () => {
    pending.refresh().then(
      (documents) => source.pendingChanged(documents),
      (error) => options.failed(error as Error),
    );
  };
  const stopEvents = store.offline ? store.on("offline", refresh) : () => {};
  const stopPending = pending.follow((keys) => source.shows(keys));
  if (store.offline) refresh();
  const stop = () => {
    source.stop();
    stopEvents();
    stopPending();
    store.removeListener("beforeDispose", end);
    if (binding.source === source) binding.source = undefined;
  };
  // The next user of the page sees nothing of this one.
  const end = () => {
    stop();
    rows.clear();
  };
  store.on("beforeDispose", end);
  return stop;
}

function checked(options: unknown): Given {
  checkNames("option of ravenCollectionOptions:", options as object, OPTIONS);
  const { store, collection, set, named, parameters } = options as Partial<Given>;
  if (!isObject(store)) fail("InvalidArgument", "ravenCollectionOptions needs the store");
  const known = store as DocumentStore;
  const name =
    typeof collection === "function"
      ? (known.conventions.getCollectionNameForType(collection) ?? undefined)
      : collection;
  if (!isText(name))
    fail("InvalidArgument", "ravenCollectionOptions needs the collection: its name or class");
  if (set !== undefined && (named ?? parameters) !== undefined)
    fail("InvalidArgument", "ravenCollectionOptions takes set or named, and parameters with named alone");
  if (parameters !== undefined && named === undefined)
    fail("InvalidArgument", "parameters are those of a named query");
  if (set !== undefined && !known.offline)
    fail("InvalidArgument", "a set needs the store's option offline({ sets })");
  if (known.offline && !known.offline.keeps)
    fail("InvalidArgument", "with offline() rows need its option documents or sets");
  return { ...(options as Given), store: known, collection: name as string };
}
