// A site of plain pages that records what it receives from them.
import http from "node:http";
import { whole } from "../../support/request-body.mjs";

/** Serves `pages` (paths to HTML texts), accepts JSON at `/sent?n=…`, and never responds to `/hole`. */
export async function site(pages) {
  const arrivals = new Map();
  const waiting = new Map();
  const server = http.createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://x");
    if (pages[pathname] !== undefined) {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(pages[pathname]);
    } else if (pathname === "/sent") {
      const body = await whole(request);
      if (body === undefined) return;
      response.writeHead(201).end();
      const n = Number(searchParams.get("n"));
      arrivals.set(n, [...(arrivals.get(n) ?? []), JSON.parse(body)]);
      waiting.get(n)?.();
    } else if (pathname !== "/hole") {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    /** What has arrived under a number. */
    of: (n) => arrivals.get(n) ?? [],
    /** Resolves once something has arrived under the number, or after the timeout. */
    async arrival(n, limit) {
      if (arrivals.has(n)) return;
      let timer;
      await new Promise((resolve) => {
        waiting.set(n, resolve);
        timer = setTimeout(resolve, limit);
      });
      clearTimeout(timer);
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
