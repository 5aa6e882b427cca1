// The hooks have the types of what they show.
import type { DocumentStore } from "raven-edge";
import { StoreProvider, useDocument, useDocuments, useOffline, useQuery, useStore } from "raven-edge/react";

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
