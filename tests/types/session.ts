// The entry without queries; checked, never run.
import { type DocumentSession, DocumentStore, RavenEdgeError } from "raven-edge/session";

async function use(): Promise<void> {
  const store = new DocumentStore("/raven", "Shop").initialize();
  const session = store.openSession();
  const order: object | null = await session.load("orders/1-A");
  await session.advanced.refresh(order ?? {});
  // @ts-expect-error there are no queries
  session.query({ collection: "Orders" });
  // @ts-expect-error there are no queries
  session.advanced.rawQuery("from Orders");
  await store.dispose();
}

/** One document or several, as the argument of a repository says. */
export const loadAny = <Ids extends string | string[]>(
  session: DocumentSession,
  ids: Ids,
): Promise<object | null> => session.load<{ name: string }>(ids);
export const isOurs = (error: unknown): error is RavenEdgeError => error instanceof RavenEdgeError;
export { use };
