// A `fetch` that shows a client certificate. Node's own takes none without a package of its own, so this speaks
// through `node:https`; keys are those of npm `ravendb`.

import { Agent, request as send } from "node:https";
import { Readable } from "node:stream";

export function connect({ certificate, type = "pem", password, ca }) {
  const pair = type === "pfx" ? { pfx: certificate } : { cert: certificate, key: certificate };
  const agent = new Agent({ ...pair, passphrase: password, ca, keepAlive: true });
  return async (url, { method, headers, body, signal }) => {
    const answer = await new Promise((resolve, reject) => {
      const request = send(url, { agent, method, headers: Object.fromEntries(headers), signal }, resolve);
      // As Node's own says it.
      request.on("error", (cause) => reject(new TypeError("fetch failed", { cause })));
      // An idle connection must not keep the process alive.
      request.on("socket", (socket) => socket.once("free", () => socket.unref()));
      request.end(body);
    });
    const empty = answer.statusCode === 204 || answer.statusCode === 304;
    const fields = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
    return new Response(empty ? null : Readable.toWeb(answer), {
      status: answer.statusCode,
      headers: fields,
    });
  };
}
