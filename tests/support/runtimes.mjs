// How Node, Deno and Bun run a program.
import { fileURLToPath } from "node:url";

const file = (path) => fileURLToPath(new URL(path, import.meta.url));
const modules = file("../../node_modules");

export const RUNTIMES = {
  "this Node": [process.execPath],
  "Node 22": [`${modules}/node-22-linux-x64/bin/node`],
  "Node 24": [`${modules}/node-24-linux-x64/bin/node`],
  Deno: [
    `${modules}/@deno/linux-x64-glibc/deno`,
    "run",
    "--no-prompt",
    "--allow-net=127.0.0.1",
    `--allow-read=${file("../../pkg")}`,
  ],
  Bun: [`${modules}/@oven/bun-linux-x64/bin/bun`, "run"],
};
