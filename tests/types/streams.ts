// The main public types of streams, patches and operations in use; checked by `tsc --noEmit`.
import {
  type AdvancedSession,
  DeleteByQueryOperation,
  type DocumentResultStream,
  type DocumentStore,
  GetOperationStateOperation,
  IndexQuery,
  type OpenedStream,
  type OperationCompletionAwaiter,
  type OperationState,
  PatchByQueryOperation,
  PatchOperation,
  type PatchOperationResult,
  PatchRequest,
  type PatchStatus,
  type QueryOperationOptions,
  type StreamedQuery,
  type StreamQueryStatistics,
  type StreamResult,
} from "raven-edge";

class Order {
  id?: string;
  total = 0;
  lines: { product: string }[] = [];
}

export async function streams(advanced: AdvancedSession): Promise<unknown[]> {
  const found: unknown[] = [];
  const opened: OpenedStream<Order> = advanced.stream("orders/", {
    documentType: Order,
    pageSize: 10,
    startAfter: "a",
  });
  for await (const { id, changeVector, document, metadata } of opened)
    found.push(id?.length, changeVector?.length, document.total.toFixed(), metadata["@id"]);
  const stream: DocumentResultStream<Order> = await advanced.stream<Order>({ startsWith: "", matches: "*" });
  const raw = advanced.rawQuery<Order>("from Orders where total > $least").addParameter("least", 5);
  for await (const { document } of advanced.stream(raw)) found.push(document.total.toFixed());
  const next: IteratorResult<StreamResult<Order>> = await stream.next();
  await stream.return();
  const query: StreamedQuery<Order> = { indexQuery: () => '{"Query":"from Orders"}', documentType: Order };
  const onStatistics = (statistics: StreamQueryStatistics): unknown =>
    found.push(statistics.indexTimestamp.getTime(), statistics.isStale);
  for await (const { document } of advanced.stream(query, onStatistics)) found.push(document.lines.length);
  for await (const { document } of await advanced.stream<Order>(new IndexQuery("from Orders")))
    found.push(document);
  return [...found, next];
}

export function patches(advanced: AdvancedSession, order: Order): void {
  advanced.patch(order, "lines[0].product", "products/1-A");
  advanced.patch("orders/1-A", 'texts["de"]', null);
  advanced.increment(order, "total", 5);
  advanced.patchArray<Order, string>("orders/1-A", "lines", (lines) => lines.push("a", "b").removeAt(0));
  advanced.patchObject<Order, string, number>(order, "prices", (prices) =>
    prices.set("1 kg", 5).remove("2 kg"),
  );
  advanced.addOrPatch("orders/2-A", order, "total", 1);
  advanced.addOrIncrement("orders/2-A", order, "total", 1);
  advanced.addOrPatchArray<Order, string>("orders/2-A", order, "lines", (lines) => lines.push("a"));
}

export async function operations(store: DocumentStore): Promise<unknown[]> {
  const patch = new PatchOperation("orders/1-A", null, PatchRequest.forScript("this.total = 1"), null, true);
  const patched: PatchOperationResult<Order> = await store.operations.send(patch, undefined, Order);
  const status: PatchStatus = patched.status;
  const options: QueryOperationOptions = { allowStale: true, staleTimeout: 5_000, maxOpsPerSecond: 100 };
  const query = new IndexQuery("from Orders update { this.total = $total }");
  query.queryParameters = { total: 1 };
  const operation: OperationCompletionAwaiter = await store.operations.send(
    new PatchByQueryOperation(query, options),
  );
  await operation.waitForCompletion();
  const deleting = await store.operations
    .forDatabase("Archive")
    .send(new DeleteByQueryOperation("from Orders"));
  await deleting.kill();
  const state: OperationState | null = await store.maintenance.send(
    new GetOperationStateOperation(deleting.id),
  );
  return [status, patched.document?.total, operation.nodeTag, state?.result, state?.progress];
}
