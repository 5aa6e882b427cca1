// The text of queries, for the areas about them.
import { failure } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: stores and queries of either client
type Any = any;

/** Text and parameters as they are sent; the error of a call that has no meaning. */
export const rqlOf = (store: Any, build: (query: Any) => Any) =>
  failure(async () => {
    let sent: unknown;
    const query = store.openSession().query({ collection: "Cameras" });
    const made = build(query);
    const last = made.getIndexQuery ? made : query;
    last.on("beforeQueryExecuted", ({ query: text, queryParameters }: Any) => {
      sent = [text, JSON.parse(JSON.stringify(queryParameters))];
    });
    last.getIndexQuery();
    return sent;
  });
