// A server in a process of its own that takes bulk inserts and forgets them; sends its address to its parent.
import { once } from "node:events";
import http from "node:http";

const LARGE = 1 << 20;

let url;
let low = 1;
function lease() {
  const range = { Prefix: "orders/", Low: low, High: low + LARGE - 1, LastSize: LARGE, ServerTag: "A" };
  low += LARGE;
  return { ...range, LastRangeAt: "2026-11-21T10:00:00.0000000Z" };
}

function answer(path) {
  if (path.includes("/next-operation-id")) return [200, { Id: 1, NodeTag: "A" }];
  if (path.includes("/multi_get"))
    return [
      200,
      {
        Results: [
          { StatusCode: 201, Result: lease() },
          { StatusCode: 404, Result: null },
        ],
      },
    ];
  if (path.includes("/hilo/next")) return [201, lease()];
  if (path.includes("/topology")) {
    const node = { Url: url, ClusterTag: "A", Database: "bench", ServerRole: "Member" };
    return [200, { Nodes: [node], Etag: 1 }];
  }
  return path.includes("/bulk_insert") ? [201] : [200, {}];
}

/** npm `ravendb` never ends the body of an insert: like RavenDB, the sink responds after the closing bracket. */
async function read(request) {
  let timer;
  const closed = new Promise((resolve) => {
    request.on("data", (bytes) => {
      clearTimeout(timer);
      if (bytes.at(-1) === 0x5d) timer = setTimeout(resolve, 20);
    });
  });
  await Promise.race([closed, once(request, "end")]);
}

const server = http.createServer(async (request, response) => {
  await read(request);
  const [status, body] = answer(request.url);
  response.writeHead(status, body ? { "Content-Type": "application/json" } : { "Content-Length": 0 });
  response.end(body && JSON.stringify(body));
});
server.listen(0, "127.0.0.1", () => {
  url = `http://127.0.0.1:${server.address().port}`;
  process.send(url);
});
process.on("disconnect", () => process.exit());
