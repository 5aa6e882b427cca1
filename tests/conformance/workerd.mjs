// Starts the authority in workerd and prints its URL; ends on SIGTERM or Ctrl-C. Needs `cargo xtask build`. PORT: its
// port (default 0: any free port). PERSIST: a folder for its data (default: in memory).
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";

const file = (name) => fileURLToPath(new URL(name, import.meta.url));

const miniflare = new Miniflare({
  host: "127.0.0.1",
  port: Number(process.env.PORT ?? 0),
  modules: true,
  modulesRoot: file("../.."),
  scriptPath: file("worker.js"),
  modulesRules: [
    { type: "ESModule", include: ["**/*.js"] },
    { type: "CompiledWasm", include: ["**/*.wasm"] },
  ],
  compatibilityDate: "2026-04-01",
  durableObjects: { AUTHORITY: { className: "AuthorityObject", useSQLite: true } },
  durableObjectsPersist: process.env.PERSIST,
  // Information about the client is not needed here, and miniflare would request it from the network.
  cf: false,
});

// Below a prefix, as behind a gateway: the authority must not require to be at the root.
console.log(`Authority in workerd available on: ${new URL("raven", await miniflare.ready).href}`);

for (const signal of ["SIGTERM", "SIGINT"]) {
  process.once(signal, async () => {
    await miniflare.dispose();
    process.exit(0);
  });
}
