// workerd as a separate process, without miniflare: it starts quickly and can be killed at any moment.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { bundle } from "./workerd.mjs";

const require = createRequire(import.meta.url);
const { default: program } = require("workerd");

const text = (value) => JSON.stringify(String(value));

/**
 * Writes the files for workerd into `folder`: the bundled Worker and a configuration. `objects`: bindings of Durable
 * Objects to class names, stored on disk in the folder; `vars`: texts in `env`.
 */
export async function prepare({
  worker,
  resolveDir,
  folder,
  alias,
  compatibilityDate,
  objects = {},
  vars = {},
  flags = [],
  v8Flags = [],
  external,
  minify,
}) {
  const data = join(folder, "data");
  await mkdir(data, { recursive: true });
  await bundle({ text: worker, resolveDir, folder, alias, external, minify });
  const modules = (await readdir(folder)).filter((name) => /\.(mjs|wasm)$/.test(name));
  // The first module is the entry.
  modules.sort((a, b) => (b === "worker.mjs") - (a === "worker.mjs"));
  const classes = Object.values(objects);
  const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "data", disk = (path = ${text(data)}, writable = true)),
    (name = "internet", network = (allow = ["private", "public"])),
  ],
  v8Flags = [${v8Flags.map(text)}],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  compatibilityDate = ${text(compatibilityDate)},
  compatibilityFlags = [${flags.map(text)}],
  modules = [${modules.map((name) => `(name = ${text(name)}, ${name.endsWith(".wasm") ? "wasm" : "esModule"} = embed ${text(name)})`)}],
  bindings = [${[
    ...Object.entries(vars).map(([name, value]) => `(name = ${text(name)}, text = ${text(value)})`),
    ...Object.entries(objects).map(
      ([name, className]) => `(name = ${text(name)}, durableObjectNamespace = ${text(className)})`,
    ),
  ]}],
  durableObjectNamespaces = [${classes.map((name) => `(className = ${text(name)}, uniqueKey = ${text(name)}, enableSql = true)`)}],
  durableObjectStorage = (localDisk = "data"),
);
`;
  await writeFile(join(folder, "config.capnp"), config);
  return folder;
}

/** Starts workerd in such a folder; returns its URL, `kill()` (SIGKILL) and `stop()`. Port 0: any free one. */
export async function start(folder, port = 0) {
  const address = `--socket-addr=http=127.0.0.1:${port}`;
  const child = spawn(program, ["serve", "config.capnp", "--experimental", "--control-fd=3", address], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  const ended = once(child, "exit");
  const listening = (async () => {
    for await (const line of createInterface(child.stdio[3])) {
      const event = JSON.parse(line);
      if (event.event === "listen" && event.socket === "http") return event.port;
    }
    throw new Error("workerd ended before it listened");
  })();
  const end = (signal) => async () => {
    child.kill(signal);
    await ended;
  };
  try {
    return {
      url: `http://127.0.0.1:${await listening}`,
      pid: child.pid,
      kill: end("SIGKILL"),
      stop: end("SIGTERM"),
    };
  } catch (error) {
    await end("SIGKILL")();
    throw error;
  }
}
