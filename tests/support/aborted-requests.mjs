// Callers that reset their connection before the response.
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after } from "./cleanup.mjs";
import { prepare, start } from "./own-workerd.mjs";

const file = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * A Worker in a workerd without FinalizationRegistry, in front of a server that responds with 500 once the caller has
 * disconnected. `flags`: the Worker's compatibility flags. `worker`: returns the Worker's text for the server's URL; its
 * handler is `handler`. `begin` may begin the server's response. Returns `disconnect`, which sends a request and disconnects; `aborted`, which does the same and resolves
 * when the Worker has aborted its own request; `left`, which does that once a part of the response has arrived; and `memory`, the size of the memory of `module` in bytes.
 */
export async function forgetful(t, { module, worker, alias, objects, flags, begin = () => {} }) {
  const server = http.createServer((request, response) => {
    request.resume();
    begin(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(t, () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const folder = await mkdtemp(join(tmpdir(), "raven-edge-disconnect-"));
  after(t, () => rm(folder, { recursive: true, force: true }));
  const text = `
    import { initSync } from ${JSON.stringify(file(`../../pkg/gen/${module}.js`))};
    ${worker(`http://127.0.0.1:${server.address().port}`)}
    export default {
      fetch: (request, env, context) => request.url.endsWith("/memory")
        ? new Response(String(initSync().memory.buffer.byteLength))
        : handler.fetch(request, env, context),
    };`;
  const aliases = Object.fromEntries(Object.entries(alias).map(([name, path]) => [name, file(path)]));
  const compatibilityDate = "2024-09-23";
  await prepare({
    folder,
    worker: text,
    resolveDir: file("."),
    alias: aliases,
    compatibilityDate,
    objects,
    flags,
  });
  const { url, stop } = await start(folder);
  after(t, stop);
  const memory = async () => Number(await (await fetch(`${url}/memory`)).text());
  return {
    memory,
    async aborted({ method = "GET", path, headers, body }) {
      const sent = http.request(url + path, { method, headers, agent: false }).on("error", () => {});
      sent.end(body);
      const [, response] = await once(server, "request");
      sent.socket.resetAndDestroy();
      await once(response, "close");
    },
    async left({ method = "GET", path, headers, body }) {
      const sent = http.request(url + path, { method, headers, agent: false }).on("error", () => {});
      const arrived = once(sent, "response");
      sent.end(body);
      const [, answer] = await once(server, "request");
      // The Worker may abort on its own when this process is slow.
      const closed = once(answer, "close");
      const [response] = await arrived;
      response.on("error", () => {});
      await Promise.race([once(response, "data"), closed]);
      sent.socket.resetAndDestroy();
      await closed;
    },
    async disconnect({ method = "GET", path, headers, body }) {
      const sent = http.request(url + path, { method, headers, agent: false }).on("error", () => {});
      sent.end(body);
      const [, response] = await once(server, "request");
      sent.socket.resetAndDestroy();
      // After this the platform has noticed the disconnect.
      await memory();
      response.writeHead(500).end();
    },
  };
}
