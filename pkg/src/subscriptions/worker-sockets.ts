// TCP in Cloudflare Workers. The platform allows it within a request, and no client certificates.

import { fail } from "../common/error.js";
import { encoder } from "../common/text-codec.js";
import type { IAuthOptions } from "../store/store-options-types.js";
import type { Socket, SocketAddress, SocketListener } from "./sockets.js";

/** The parts of the platform's socket that are used. */
interface WorkerSocket {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
  readonly opened: Promise<unknown>;
  close(): Promise<void>;
}

export async function open(
  { host, port, certificate }: SocketAddress,
  _: IAuthOptions,
  listener: SocketListener,
): Promise<Socket> {
  if (certificate)
    fail(
      "Unsupported",
      "a Worker's TCP has no client certificate: receive subscriptions in Node, Deno or Bun",
    );
  // A bundler that does not know the platform's module leaves it where it is if the import may fail.
  const { connect } = await import("cloudflare:sockets").catch((cause: unknown) =>
    fail("Unsupported", "the bundler has removed cloudflare:sockets: mark it as external", { cause }),
  );
  const socket = connect({ hostname: host, port }) as WorkerSocket;
  await socket.opened;
  const writer = socket.writable.getWriter();
  const end = (error?: unknown) => listener.ended(error);
  read(socket.readable, listener).then(() => end(), end);
  return {
    write: (text) => void writer.write(encoder.encode(text)).catch(end),
    close: () => void socket.close().catch(() => {}),
  };
}

async function read(readable: ReadableStream<Uint8Array>, listener: SocketListener): Promise<void> {
  const reader = readable.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    listener.received(value);
  }
}
