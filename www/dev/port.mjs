// Checks whether a port is free, because workerd would report a used one with a stack trace.

import { once } from "node:events";
import { createServer } from "node:net";

/** Fails with a message of one line if the port is not free. */
export async function checkPort(host, port) {
  const server = createServer().listen(port, host);
  await once(server, "listening").catch((error) => {
    throw new Error(
      error.code === "EADDRINUSE"
        ? `port ${port} is in use; choose another one with PORT=… (0 = any free one)`
        : error.message,
    );
  });
  await new Promise((resolve) => server.close(resolve));
}
