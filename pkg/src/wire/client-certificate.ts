// A `fetch` that presents a client certificate, made with `node:https`: Node's own `fetch` needs another package for certificates.
// The options are those of npm `ravendb`.

import type { IncomingMessage } from "node:http";

interface Init {
  method: string;
  headers: Headers;
  body: string | Uint8Array | undefined;
  signal: AbortSignal;
}

/** A certificate and its key: one text that contains both in PEM, or the bytes of a PFX file. */
export interface Certificate {
  certificate: string | Buffer;
  /** Default: `"pem"`. */
  type?: "pem" | "pfx" | undefined;
  password?: string | undefined;
  ca?: string | Buffer | undefined;
}

export function connect({ certificate, type = "pem", password, ca }: Certificate) {
  // Imported by every app, these modules would take longer than everything that an import of the package evaluates.
  const { Agent, request: send } = process.getBuiltinModule("node:https");
  const { Readable } = process.getBuiltinModule("node:stream");
  const pair = type === "pfx" ? { pfx: certificate } : { cert: certificate, key: certificate };
  const agent = new Agent({ ...pair, passphrase: password, ca, keepAlive: true });
  return async (url: string, { method, headers, body, signal }: Init): Promise<Response> => {
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = send(url, { agent, method, headers: Object.fromEntries(headers), signal }, resolve);
      // With the message of Node's own `fetch`.
      request.on("error", (cause) => reject(new TypeError("fetch failed", { cause })));
      // An idle connection must not keep the process alive.
      request.on("socket", (socket) => socket.once("free", () => socket.unref()));
      request.end(body);
    });
    const { statusCode: status = 0 } = message;
    const empty = status === 204 || status === 304;
    const fields = Object.entries(message.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    return new Response(empty ? null : (Readable.toWeb(message) as ReadableStream), {
      status,
      headers: fields,
    });
  };
}
