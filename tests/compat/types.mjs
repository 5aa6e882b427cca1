// `tsc --noEmit` of the program against the typings of either client.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

const CONFIGS = { ravendb: "tsconfig.ravendb.json", edge: "tsconfig.json" };

/** The problems that the compiler has with the program, each with the area that it is in. */
export function check(client) {
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const { stdout } = spawnSync(process.execPath, [tsc, "--pretty", "false", "-p", CONFIGS[client]], {
    cwd: folder,
    encoding: "utf8",
  });
  return stdout
    .split("\n")
    .filter((line) => line.includes("error TS"))
    .map((text) => ({ area: basename(text.split("(")[0], ".ts"), text }));
}
