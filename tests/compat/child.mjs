// One client's side: runs areas one after the other and sends the observations to the parent.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import WebSocket from "ws";

const [folder, ...areas] = process.argv.slice(2);
let running;
/** Modules that the programs of a folder share. */
const databases = new Map();
// Node has one from version 22 on; npm `ravendb` brings its own.
globalThis.WebSocket ??= WebSocket;
// An unhandled rejection would end an app; here it is an observation to compare.
process.on("unhandledRejection", (error) =>
  process.send({
    area: running,
    observation: { section: "(process)", name: "unhandled", value: `${error?.name}: ${error?.message}` },
  }),
);
for (const area of areas) {
  running = area;
  process.send({ area, begins: true });
  const program = await import(pathToFileURL(join(folder, `${area}.mjs`)));
  await program.default(
    process.env.RAVENDB_URL,
    (observation) => process.send({ area, observation }),
    databases,
  );
  process.send({ area, ends: true });
}
await Promise.all([...databases.values()].map((database) => database.remove()));
process.disconnect();
process.exit();
