// What tests of subscriptions share.
import { send } from "./server.mjs";
import { within } from "./store.mjs";

/** Stores three documents, whose names are a, b and c. */
export async function notes(server, database) {
  for (const id of ["a", "b", "c"])
    await send(server.url, "PUT", `/databases/${database}/docs?id=notes/${id}`, {
      name: id,
      "@metadata": { "@collection": "Notes" },
    });
}

/** Resolves with the arguments of an event's next emission. */
export const next = (worker, event) =>
  within(
    30_000,
    new Promise((resolve) => {
      const listener = (...given) => {
        worker.off(event, listener);
        resolve(given);
      };
      worker.on(event, listener);
    }),
    event,
  );
