// Runs `tsc --noEmit` on the program, or the programs, with either client's typings.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

const CONFIGS = { ravendb: "tsconfig.ravendb.json", edge: "tsconfig.json" };
const FOLDERS = { program: "./", programs: "./programs/" };

/** The compiler's errors in a folder, each with its area or topic. */
export function check(client, what = "program") {
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const folder = fileURLToPath(new URL(FOLDERS[what], import.meta.url));
  const { stdout } = spawnSync(process.execPath, [tsc, "--pretty", "false", "-p", CONFIGS[client]], {
    cwd: folder,
    encoding: "utf8",
  });
  return stdout
    .split("\n")
    .filter((line) => line.includes("error TS"))
    .map((text) => ({
      area: relative(what === "program" ? what : "", text.split("(")[0]).replace(/\.ts$/, ""),
      text,
    }));
}
