// Hooks for React: documents, results of queries and the queue, shown as they change. They subscribe to the store and decide nothing.

import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useMemo,
  useSyncExternalStore,
} from "react";
import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import type { EntitiesCollectionObject, Tracked } from "../documents/entity-types.js";
import type { WatchCallback, WatchOptions, WatchStateOf } from "../live/live-types.js";
import type { Names } from "../named/named-definitions.js";
import type {
  ConflictEvent,
  OfflineQueue,
  OfflineStatus,
  QueuedChange,
  SetDocuments,
  SetName,
} from "../offline/offline-types.js";
import type { DocumentStore, WatchedQuery } from "../store/store-types.js";
import { followSet, type ShownSet } from "./follow-set.js";

export type { ShownSet };

/** What a hook shows. Until the first read has ended, `data` is `undefined`. */
export type Watched<Data> = WatchStateOf<Data> & { data: Data | undefined };

/** What {@link useOutbox} and {@link useConflicts} show. Until the device was read, `data` is `undefined`. */
export interface Waiting<Item> {
  readonly data: readonly Item[] | undefined;
  /** Why the device could not be read; `data` is what was read last. */
  readonly error: Error | undefined;
}

/**
 * Where the newest version of a document is. `"saved"`: on the server. `"queued"`: on this device, and it will be sent. The others are on this
 * device, and the app has to decide: `"unknown"` whether it was saved, `"conflict"` with what somebody else has saved, `"refused"` by the
 * server. Of several, the last one of these. {@link useOutbox} and {@link useConflicts} say more.
 */
export type Mark = "saved" | "queued" | "unknown" | "conflict" | "refused";

/** A document, or its id. */
export type Marked = string | { id?: string; "@metadata"?: object; $hasPendingWrites?: boolean };

const UNREAD: Waiting<never> = { data: undefined, error: undefined };
const NOTHING: Watched<never> = { data: undefined, connected: false, stale: false, error: undefined };
const NO_SET: ShownSet<never> = {
  data: undefined,
  isComplete: false,
  syncedAt: null,
  progress: undefined,
  error: undefined,
};
/** Marks of documents that wait, the most urgent one last. */
const MARKS: readonly Mark[] = ["queued", "unknown", "conflict", "refused"];
const StoreContext = createContext<DocumentStore | undefined>(undefined);

/**
 * Gives the components inside of it the store.
 *
 * ```tsx
 * createRoot(element).render(
 *   <StoreProvider store={store}>
 *     <Orders />
 *   </StoreProvider>,
 * );
 * ```
 */
export function StoreProvider(props: { store: DocumentStore; children?: ReactNode }): ReactElement {
  return createElement(StoreContext.Provider, { value: props.store }, props.children);
}

/**
 * The store of the nearest {@link StoreProvider}, to open sessions in.
 * @throws {RavenEdgeError} `InvalidOperation` outside of a `StoreProvider`.
 */
export function useStore(): DocumentStore {
  return (
    useContext(StoreContext) ??
    fail("InvalidOperation", "no <StoreProvider store={store}> is around the component of this hook")
  );
}

/**
 * A document, and each of its changes; `null` if it does not exist.
 *
 * ```tsx
 * const { data: order, connected } = useDocument<Order>("orders/1-A");
 * ```
 * @param id `undefined`: nothing is read.
 * @param options Those of `store.watch`. They are read when the component begins to watch, also when it begins to watch another id.
 */
export function useDocument<T extends object = object>(
  id: string | undefined,
  options?: WatchOptions,
): Watched<Tracked<T> | null> {
  const store = useStore();
  return useWatched<Tracked<T> | null>(
    (callback) => (id === undefined ? () => {} : store.watch<T>(id, callback, options)),
    [store, id],
  );
}

/** Watches several documents, by their ids. */
export function useDocuments<T extends object = object>(
  ids: readonly string[],
  options?: WatchOptions,
): Watched<EntitiesCollectionObject<T>> {
  const store = useStore();
  return useWatched<EntitiesCollectionObject<T>>(
    (callback) => store.watch<T>(ids, callback, options),
    [store, JSON.stringify(ids)],
  );
}

/**
 * The results of a query, and each of their changes.
 *
 * ```tsx
 * const mine = useQuery<Order>({ named: "myOrders", parameters: { open } }, [], { collections: ["Orders"] });
 * const open = useQuery((session) => session.query({ collection: "Orders" }).whereEquals("user", user), [user]);
 * ```
 * @param query As in `store.watch`. The query is made again when one of `dependencies` has changed; if `query` is an object, also when its
 * JSON has changed.
 * @param dependencies The values of the component that the function uses. Their number must not change.
 * @param options Those of `store.watch`; read when the query is made.
 */
export function useQuery<T extends object = object>(
  query: WatchedQuery<T, Names>,
  dependencies: readonly unknown[] = [],
  options?: WatchOptions,
): Watched<T[]> {
  const store = useStore();
  const key = typeof query === "function" ? "" : JSON.stringify(query);
  return useWatched<T[]>(
    (callback) => store.watch<T>(query, callback, options),
    [store, key, ...dependencies],
  );
}

/**
 * The status of the queue of `raven-edge/offline`; `undefined` for a store without one, and on a server that renders pages.
 *
 * ```tsx
 * const { queued = 0, conflicts = 0 } = useOffline() ?? {};
 * ```
 */
export function useOffline(): OfflineStatus | undefined {
  const store = useStore();
  const source = useMemo(() => {
    // `undefined` if the store has no option `offline`.
    const queue: OfflineQueue | undefined = store.offline;
    let shown = queue?.status();
    return {
      shown: () => shown,
      subscribe(changed: () => void) {
        // It may have changed between the first rendering and now.
        shown = queue?.status();
        return store.on("offline", (next) => {
          shown = next;
          changed();
        });
      },
    };
  }, [store]);
  return useSyncExternalStore(source.subscribe, source.shown, () => undefined);
}

/**
 * All documents of a set, and each of their changes, also without a connection. `isComplete` and `syncedAt` are those of `data`.
 *
 * ```tsx
 * const { data: visits = [], isComplete, error } = useSet<Visit>("visits");
 * ```
 * @param name As in `store.offline.set`. A wrong one is an `error`.
 */
export function useSet<Document extends object = object>(name: string): ShownSet<Document> {
  const store = useStore();
  return useFollowed<ShownSet<Document>>(
    NO_SET,
    (show, shown) => followSet<Document>(store, name, (next) => show({ ...shown(), ...next })),
    [store, name],
  );
}

const changesOf = (queue: OfflineQueue) => queue.changes();
const conflictsOf = (queue: OfflineQueue) => queue.conflicts();

/**
 * The changes that are not saved, oldest first. `store.offline` sends, retries and discards them.
 *
 * ```tsx
 * const { data: changes = [] } = useOutbox();
 * const { offline } = useStore();
 * return changes.map((change) => <button key={change.id} onClick={() => offline.discard(change)}>{change.state}</button>);
 * ```
 */
export function useOutbox(): Waiting<QueuedChange> {
  return useWaiting(changesOf);
}

/**
 * The conflicts that wait for the user; each has its documents with both sides, and `resolve`.
 *
 * ```tsx
 * const { data: conflicts = [] } = useConflicts();
 * return conflicts.map(({ change, resolve }) => <button key={change.id} onClick={() => resolve("mine")}>Keep mine</button>);
 * ```
 */
export function useConflicts(): Waiting<ConflictEvent> {
  return useWaiting(conflictsOf);
}

/**
 * A function that says of each document whether it is saved; `undefined` until the device was read, and for a row of TanStack DB with an edit
 * that is not on the device yet.
 *
 * ```tsx
 * const { data: orders = [], pending = [] } = useQuery<Order>({ named: "orders" });
 * const markOf = useMarks();
 * return [...pending, ...orders].map((order) => <li key={order.id} className={markOf(order)}>{order.total}</li>);
 * ```
 */
export function useMarks(): (document: Marked) => Mark | undefined {
  const { data } = useOutbox();
  return useMemo(() => {
    const marks = new Map<string, Mark>();
    for (const { documents, state } of data ?? []) {
      const mark = MARKS.find((one) => one === state) ?? "queued";
      for (const key of documents.map(idKey)) {
        const known = marks.get(key);
        if (!known || MARKS.indexOf(mark) > MARKS.indexOf(known)) marks.set(key, mark);
      }
    }
    return (document) => {
      const id = typeof document === "string" ? document : (document.id ?? metadataOf(document)["@id"]);
      const mark = id === undefined ? undefined : marks.get(idKey(id));
      // It may have been queued since the device was read.
      const isQueued =
        typeof document === "object" && metadataOf(document)["@change-vector"]?.startsWith("queued:");
      // TanStack DB shows an edit before it is on the device.
      const isShownOnly = typeof document === "object" && document.$hasPendingWrites;
      if ((mark && mark !== "queued") || !isShownOnly) return mark ?? (isQueued ? "queued" : data && "saved");
      return undefined;
    };
  }, [data]);
}

const metadataOf = (document: Exclude<Marked, string>): Partial<Record<string, string>> =>
  document["@metadata"] ?? {};

/** What waits on the device, read again with each of its events. */
function useWaiting<Item>(read: (queue: OfflineQueue) => Promise<Item[]>): Waiting<Item> {
  const store = useStore();
  return useFollowed<Waiting<Item>>(
    UNREAD,
    (show, shown) => {
      let last: object | undefined;
      const readNow = async () => {
        const own = {};
        last = own;
        let next: Waiting<Item>;
        try {
          // `undefined` if the store has no option `offline`.
          const queue: OfflineQueue | undefined = store.offline;
          if (!queue)
            fail("InvalidOperation", "the store has no option `offline`, so nothing waits on the device");
          next = { data: await read(queue), error: undefined };
        } catch (error) {
          next = { data: shown().data, error: error as Error };
        }
        // Otherwise a later read has begun, or the component is gone.
        if (own === last) show(next);
      };
      const stops = [store.on("offline", readNow), store.on("conflict", readNow)];
      readNow();
      return () => {
        last = undefined;
        for (const stop of stops) stop();
      };
    },
    [store, read],
  );
}

/** The hooks of an app whose names are known: `useQuery` checks names and parameters, and `useStore` gives the store that has them. */
export interface Hooks<Defined extends Names> {
  StoreProvider(props: { store: DocumentStore<Defined>; children?: ReactNode }): ReactElement;
  useStore(): DocumentStore<Defined>;
  useQuery<T extends object = object>(
    query: WatchedQuery<T, Defined>,
    dependencies?: readonly unknown[],
    options?: WatchOptions,
  ): Watched<T[]>;
  useDocument: typeof useDocument;
  useDocuments: typeof useDocuments;
  useOffline: typeof useOffline;
  useSet<Name extends SetName<Defined>>(name: Name): ShownSet<SetDocuments<Defined>[Name] & object>;
  useSet<Document extends SetDocuments<Defined>[SetName<Defined>] & object>(
    name: SetName<Defined>,
  ): ShownSet<Document>;
  useOutbox: typeof useOutbox;
  useConflicts: typeof useConflicts;
  useMarks: typeof useMarks;
}

const HOOKS = {
  StoreProvider,
  useStore,
  useQuery,
  useDocument,
  useDocuments,
  useOffline,
  useSet,
  useOutbox,
  useConflicts,
  useMarks,
};

/**
 * The hooks with the types of the app's names: a misspelt name or a wrong parameter does not compile.
 *
 * ```tsx
 * import type { names } from "./names";
 *
 * export const { StoreProvider, useQuery, useStore } = hooksFor<typeof names>();
 * ```
 */
export function hooksFor<Defined extends Names>(): Hooks<Defined> {
  return HOOKS as Hooks<Names> as Hooks<Defined>;
}

function useWatched<Data>(
  begin: (callback: WatchCallback<Data>) => () => void,
  dependencies: readonly unknown[],
): Watched<Data> {
  return useFollowed<Watched<Data>>(
    NOTHING,
    (show) => begin((data, state) => show({ ...state, data })),
    dependencies,
  );
}

/** What `follow` has shown last; `first` until then, and on a server. It begins anew when one of `dependencies` has changed. */
function useFollowed<Shown>(
  first: Shown,
  follow: (show: (next: Shown) => void, shown: () => Shown) => () => void,
  dependencies: readonly unknown[],
): Shown {
  const source = useMemo(() => {
    let shown = first;
    const now = () => shown;
    const subscribe = (changed: () => void) =>
      follow((next) => {
        shown = next;
        changed();
      }, now);
    return { now, subscribe };
  }, dependencies);
  return useSyncExternalStore(source.subscribe, source.now, () => first);
}
