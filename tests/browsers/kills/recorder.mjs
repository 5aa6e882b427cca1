// The test's own server for the pages' records: on its own port, so that the proxy's faults do not affect it.
import http from "node:http";
import { after } from "../../support/cleanup.mjs";
import { whole } from "../../support/request-body.mjs";
import { within } from "../../support/store.mjs";

/** In milliseconds: longer than any work takes, including faults. */
const LIMIT = 60_000;

/** Calls `take(note)` for each complete record. */
export async function recorder(t, take) {
  const ends = new Map();
  const watchers = new Set();
  const server = http.createServer(async (request, response) => {
    const text = await whole(request);
    if (text === undefined) return;
    const note = JSON.parse(text);
    if (note.kind === "done") ends.get(note.work)?.(note.errors);
    take(note);
    for (const watcher of [...watchers]) watcher(note);
    response.writeHead(204, { "access-control-allow-origin": "*" }).end();
  });
  // If a connection ended during a request, the browser would send the request again.
  server.keepAliveTimeout = 0;
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(t, () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    /** The errors of a work, once it has finished or was abandoned (`given`). */
    async done(work, given) {
      const done = new Promise((resolve) => ends.set(work, resolve));
      try {
        return (await within(LIMIT, Promise.race([done, given]), `the end of work ${work}`)) ?? [];
      } finally {
        ends.delete(work);
      }
    },
    /** Resolves when this many more ids have arrived. */
    ids(count) {
      if (count === 0) return Promise.resolve();
      return new Promise((resolve) => {
        let missing = count;
        const watcher = ({ kind }) => {
          if (kind !== "took" || --missing > 0) return;
          watchers.delete(watcher);
          resolve();
        };
        watchers.add(watcher);
      });
    },
  };
}
