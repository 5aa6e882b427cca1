/**
 * Hooks for React 18 and later: documents, results of queries and the queue, shown as they change.
 *
 * ```tsx
 * import { DocumentStore } from "raven-edge";
 * import { StoreProvider, useQuery } from "raven-edge/react";
 *
 * const store = new DocumentStore("/raven", "Shop").initialize();
 *
 * function Orders() {
 *   const { data = [], connected } = useQuery<{ total: number }>({ collection: "Orders" });
 *   return <p>{data.length} orders{connected ? "" : ", perhaps not the newest"}</p>;
 * }
 *
 * export const App = () => <StoreProvider store={store}><Orders /></StoreProvider>;
 * ```
 *
 * `docs/live.md` describes what they subscribe to.
 */

export {
  type Hooks,
  hooksFor,
  type Mark,
  type Marked,
  type ShownSet,
  StoreProvider,
  useConflicts,
  useDocument,
  useDocuments,
  useMarks,
  useOffline,
  useOutbox,
  useQuery,
  useSet,
  useStore,
  type Waiting,
  type Watched,
} from "./dts/react/hooks.js";
export type { WatchedQuery } from "./dts/store/store-types.js";
