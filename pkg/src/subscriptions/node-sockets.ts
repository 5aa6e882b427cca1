// TCP in Node, Deno and Bun.

import { Buffer } from "node:buffer";
import { once } from "node:events";
import type { Socket as NodeSocket } from "node:net";
import { fail } from "../common/error.js";
import type { IAuthOptions } from "../store/store-options-types.js";
import type { Socket, SocketAddress, SocketListener } from "./sockets.js";

export async function open(
  address: SocketAddress,
  own: IAuthOptions,
  listener: SocketListener,
): Promise<Socket> {
  const socket = await connected(address, own);
  socket.setNoDelay(true);
  socket.on("data", (bytes: Uint8Array) => listener.received(bytes));
  socket.on("error", (error) => listener.ended(error));
  socket.on("close", () => listener.ended());
  return {
    write: (text) => void socket.write(text),
    close: () => void socket.destroy(),
  };
}

async function connected(
  { host, port, certificate }: SocketAddress,
  { certificate: given, type = "pem", password, ca }: IAuthOptions,
): Promise<NodeSocket> {
  // Not imported: apps without subscriptions would pay for it.
  if (!certificate) {
    const socket = process.getBuiltinModule("node:net").connect(port, host);
    await once(socket, "connect");
    return socket;
  }
  if (!given)
    fail("Unsupported", "a secured RavenDB needs the store's option `certificate` for subscriptions");
  const bytes = typeof given === "string" ? given : Buffer.from(given);
  const pair = type === "pfx" ? { pfx: bytes } : { cert: bytes, key: bytes };
  const socket = process.getBuiltinModule("node:tls").connect({
    host,
    port,
    ...pair,
    passphrase: password,
    ca: typeof ca === "object" ? Buffer.from(ca) : ca,
    // The server has named its certificate over HTTPS: exactly this one is accepted, whoever has signed it.
    rejectUnauthorized: false,
  });
  await once(socket, "secureConnect");
  if (socket.getPeerCertificate().raw?.toString("base64") === certificate) return socket;
  socket.destroy();
  return fail("Server", `${host}:${port} shows another certificate than the server has named`);
}
