// A server in the same process that takes bulk inserts: the rest is the client's work.

const LARGE = 1 << 20;
const NODE = { Url: "http://127.0.0.1:1", ClusterTag: "A", Database: "bench", ServerRole: "Member" };

const json = (status, body) =>
  new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });

/** `"Type":"PUT"`: what each document has once. */
const MARK = Buffer.from('","Type":"PUT"');

/** How often the mark occurs, also between two pieces. */
function counter() {
  let rest = Buffer.alloc(0);
  return (piece) => {
    const bytes = Buffer.concat([rest, piece]);
    let count = 0;
    let at = bytes.indexOf(MARK);
    for (; at >= 0; at = bytes.indexOf(MARK, at + MARK.length)) count++;
    const tail = Math.max(bytes.lastIndexOf(MARK) + MARK.length, bytes.length - MARK.length + 1);
    rest = bytes.subarray(Math.min(bytes.length, tail));
    return count;
  };
}

/** A `fetch` for clients, and what it has received. */
export function transport() {
  const received = { documents: 0 };
  let low = 1;
  const lease = () => {
    const range = { Prefix: "orders/", Low: low, High: low + LARGE - 1, LastSize: LARGE, ServerTag: "A" };
    low += LARGE;
    return { ...range, LastRangeAt: "2026-11-21T10:00:00.0000000Z" };
  };
  const fetch = async (input, { body } = {}) => {
    const url = String(input?.url ?? input);
    if (url.includes("/bulk_insert")) {
      const count = counter();
      for await (const piece of body) received.documents += count(piece);
      return new Response("", { status: 201 });
    }
    if (url.includes("/next-operation-id")) return json(200, { Id: 1, NodeTag: "A" });
    if (url.includes("/operations/state")) return json(200, { Status: "Completed" });
    if (url.includes("/multi_get"))
      return json(200, {
        Results: [
          { StatusCode: 201, Result: lease() },
          { StatusCode: 404, Result: null },
        ],
      });
    if (url.includes("/hilo/next")) return json(201, lease());
    if (url.includes("/topology")) return json(200, { Nodes: [NODE], Etag: 1 });
    return json(200, {});
  };
  return { fetch, received };
}
