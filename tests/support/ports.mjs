// Ports that become free again after they were closed. They lie below those that the system assigns to connections,
// and above those that browsers refuse. Test files that run at the same time must not take each other's, also while a
// server is off for a moment: each process draws from a part of them.
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

const COUNT = 1_000;
const FIRST = 20_000 + (process.pid % 12) * COUNT;

/** Has a server listen on such a port; gives the port. */
export async function listen(server) {
  for (;;) {
    const port = FIRST + randomInt(COUNT);
    server.listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
      return port;
    } catch (error) {
      if (error.code !== "EADDRINUSE") throw error;
    }
  }
}

/** Such a port, which was free a moment ago, for programs that do not tell which one they took. */
export async function freePort() {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, "close");
  return port;
}
