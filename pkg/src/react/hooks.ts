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
import type { EntitiesCollectionObject, Tracked } from "../documents/entity-types.js";
import type { WatchCallback, WatchOptions, WatchStateOf } from "../live/watching/watch.js";
import type { Names } from "../named/named-definitions.js";
import type { OfflineQueue, OfflineStatus } from "../offline/offline-types.js";
import type { DocumentStore, WatchedQuery } from "../store/store-types.js";

/** What a hook shows. Until the first read has ended, `data` is `undefined`. */
export type Watched<Data> = WatchStateOf<Data> & { data: Data | undefined };

/** Something that changes, as `useSyncExternalStore` wants it. */
interface Source<Shown> {
  subscribe(changed: () => void): () => void;
  shown(): Shown;
}

const NOTHING: Watched<never> = { data: undefined, connected: false, stale: false, error: undefined };
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
  const source = useMemo<Source<OfflineStatus | undefined>>(() => {
    // `undefined` if the store has no option `offline`.
    const queue: OfflineQueue | undefined = store.offline;
    let shown = queue?.status();
    return {
      shown: () => shown,
      subscribe(changed) {
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

function useWatched<Data>(
  begin: (callback: WatchCallback<Data>) => () => void,
  dependencies: readonly unknown[],
): Watched<Data> {
  const source = useMemo<Source<Watched<Data>>>(() => {
    let shown: Watched<Data> = NOTHING;
    return {
      shown: () => shown,
      subscribe: (changed) =>
        begin((data, state) => {
          shown = { ...state, data };
          changed();
        }),
    };
  }, dependencies);
  return useSyncExternalStore(source.subscribe, source.shown, () => NOTHING);
}
