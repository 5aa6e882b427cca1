// The gateway in a workerd process of its own, whose memory and CPU can be read.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after } from "./cleanup.mjs";
import { SECRET } from "./gateway.mjs";
import { prepare, start } from "./own-workerd.mjs";
import { resident } from "./worker-with-database.mjs";

const MEGABYTE = 1 << 20;
/** Milliseconds of a tick of `/proc`. */
const TICK = 10;

const file = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Starts it, until the test ends; the caller is the one whom the header `x-user` names. `config`: with `upstream` and `database`. */
export async function gatewayProcess(t, config) {
  const options = { secret: SECRET, log: "error", claims: ["name"], ...config };
  const worker = `
    import gateway from "raven-edge/gateway";
    import { initSync } from ${JSON.stringify(file("../../pkg/gen/edge_gateway.js"))};
    const handler = gateway({
      ...${JSON.stringify(options)},
      authorize: (request) => ({ name: request.headers.get("x-user") }),
    });
    export default {
      fetch: (request, env, context) => request.url.endsWith("/memory")
        ? new Response(String(initSync().memory.buffer.byteLength))
        : handler.fetch(request, env, context),
    };`;
  const folder = await mkdtemp(join(tmpdir(), "raven-edge-gateway-"));
  after(t, () => rm(folder, { recursive: true, force: true }));
  const alias = { "raven-edge/gateway": file("../../pkg/dist/entries/gateway.js") };
  await prepare({ folder, worker, resolveDir: file("."), alias, compatibilityDate: "2026-04-01" });
  const { url, pid, stop } = await start(folder);
  after(t, stop);
  return {
    url,
    /** Megabytes of the module, which never become less. */
    memory: async () => Number(await (await fetch(`${url}/memory`)).text()) / MEGABYTE,
    /** Megabytes of the process. */
    resident: async () => (await resident(pid)) / MEGABYTE,
    /** Milliseconds of the process. */
    cpu: async () => {
      const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ").at(-1).split(" ");
      return (Number(fields[11]) + Number(fields[12])) * TICK;
    },
  };
}
