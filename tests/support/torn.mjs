// Connections to a server that are cut in the middle of a request.
import { connect, createServer } from "node:net";
import { after } from "./cleanup.mjs";
import { listen } from "./ports.mjs";

/**
 * Passes connections on to `target`. The first one on which more than `bytes` are sent is cut after these; `cuts` counts them.
 * Later connections are passed on whole.
 */
export async function torn(t, target, bytes) {
  const { hostname, port } = new URL(target);
  const made = { url: "", cuts: 0 };
  const sockets = new Set();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let sent = 0;
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", end).on("close", end);
    }
    upstream.pipe(client);
    client.on("data", (piece) => {
      const rest = bytes - sent;
      sent += piece.length;
      if (made.cuts > 0 || sent <= bytes) return void upstream.write(piece);
      made.cuts++;
      upstream.write(piece.subarray(0, Math.max(rest, 0)), end);
    });
  });
  made.url = `http://127.0.0.1:${await listen(server)}`;
  after(t, () => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return made;
}
