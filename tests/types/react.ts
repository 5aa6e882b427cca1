// The hooks have the types of what they show.
import type { DocumentStore, Names } from "raven-edge";
import {
  hooksFor,
  type Mark,
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
} from "raven-edge/react";

interface Order {
  total: number;
}

export function useAll(): void {
  const store: DocumentStore = useStore();
  StoreProvider({ store, children: "text" });
  const total: number | undefined = useDocument<Order>("orders/1-A").data?.total;
  const none: object | null | undefined = useDocument(undefined, { every: 100 }).data;
  const one: Order | null | undefined = useDocuments<Order>(["orders/1-A"]).data?.["orders/1-A"];
  const found: Order[] | undefined = useQuery<Order>({ collection: "Orders" }).data;
  const named = useQuery<Order>({ named: "orders" }, [], { collections: ["Orders"] });
  const made: Order[] | undefined = useQuery(
    (session) => session.query<Order>({ collection: "Orders" }),
    [total],
  ).data;
  const queued: number | undefined = useOffline()?.queued;
  // @ts-expect-error A query is not the id of a document.
  useDocument({ collection: "Orders" });
  void [none, one, found, named.error?.message, made, queued];
}

export function useOwn(): void {
  const { data: changes = [], error } = useOutbox();
  const states: string[] = changes.map(({ state, documents }) => state + documents.length);
  const { data: conflicts = [] } = useConflicts();
  const resolved = conflicts.map(({ resolve }) => resolve("mine"));
  const { data, isComplete, syncedAt, progress }: ShownSet<Order> = useSet<Order>("orders");
  const shown: [number | undefined, boolean, Date | null] = [data?.[0]?.total, isComplete, syncedAt];
  const loaded: number | undefined = progress?.loaded;
  const markOf = useMarks();
  const mark: Mark | undefined = markOf("orders/1-A") ?? markOf({ id: "orders/1-A" });
  // @ts-expect-error A mark is of a document.
  markOf(1);
  void [states, error, resolved, mark, shown, loaded];
}

const names = {
  queries: {
    orders: { query: "from Orders where open = $open", parameters: { open: { type: "boolean" } } },
    all: { query: "from Orders" },
  },
} as const satisfies Names;
const known = hooksFor<typeof names>();

export function useKnown(): void {
  const store: DocumentStore<typeof names> = known.useStore();
  known.StoreProvider({ store });
  const orders: Order[] | undefined = known.useQuery<Order>({
    named: "orders",
    parameters: { open: true },
  }).data;
  const all: Order[] | undefined = known.useQuery<Order>({ named: "all" }, [], { every: 100 }).data;
  const collection = known.useQuery<Order>({ collection: "Orders" });
  const made: Order[] | undefined = known.useQuery((session) => session.query<Order>({ named: "all" })).data;
  const one: Order | null | undefined = known.useDocument<Order>("orders/1-A").data;
  // @ts-expect-error There is no such query.
  known.useQuery({ named: "order", parameters: { open: true } });
  // @ts-expect-error A boolean.
  known.useQuery({ named: "orders", parameters: { open: 1 } });
  // @ts-expect-error The parameters are missing.
  known.useQuery({ named: "orders" });
  // @ts-expect-error It has no parameters.
  known.useQuery({ named: "all", parameters: { open: true } });
  // @ts-expect-error There is no such query.
  known.useQuery((session) => session.query<Order>({ named: "order" }));
  // @ts-expect-error There is no such query.
  store.watch({ named: "order" }, () => {});
  void [orders, all, collection, made, one];
}
