// WebKitGTK in our own windows, because what its WebDriver starts stores nothing on disk.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Calls, source, value } from "./calls.mjs";
import { find, Program, profileFolder } from "./program.mjs";

const windows = fileURLToPath(new URL("webkit-windows.js", import.meta.url));
const gjs = find("GJS", "gjs");
const screen = find("XVFB", "Xvfb");
const LOADS = "imports.gi.versions.WebKit2 = '4.1'; imports.gi.WebKit2";
const there = gjs && screen && spawnSync(gjs, ["-c", LOADS], { stdio: "ignore" }).status === 0;

export const name = "WebKitGTK";
export const missing = !there && "no WebKitGTK";

export async function launch({ profile } = {}) {
  const { folder, remove } = await profileFolder(profile);
  // It ends by itself once its last window is closed, also if this process dies.
  const display = new Program(screen, ["-displayfd", "3", "-terminate", "-nolisten", "tcp"]);
  // Ports that are in use are reported in lines before it.
  const [number] = await display.printed(/^\d+(?=\n)/m);
  const program = new Program(gjs, ["-m", windows, folder], {
    DISPLAY: `:${number}`,
    GDK_BACKEND: "x11",
    HOME: folder,
    XDG_CACHE_HOME: join(folder, "cache"),
    XDG_CONFIG_HOME: join(folder, "config"),
    XDG_DATA_HOME: join(folder, "data"),
  });
  const calls = new Calls((text) => program.child.stdin.write(`${text}\n`));
  createInterface(program.child.stdio[3]).on("line", (line) => calls.take(line));
  program.ended.then(() => calls.end());
  const ended = async (program_ended) => {
    await program_ended;
    await display.kill();
    await remove();
  };
  return {
    version: await calls.call("version"),
    async open(url) {
      const tab = new Tab(calls, await calls.call("open"));
      await tab.goto(url);
      return tab;
    },
    close() {
      program.child.stdin.end();
      return ended(program.end());
    },
    kill: () => ended(program.kill()),
  };
}

class Tab {
  #calls;
  #number;

  constructor(calls, number) {
    this.#calls = calls;
    this.#number = number;
  }

  goto(url) {
    return this.#call("goto", { url });
  }

  reload() {
    return this.#call("reload");
  }

  back() {
    return this.#call("back");
  }

  forward() {
    return this.#call("forward");
  }

  async evaluate(f, ...values) {
    return value(await this.#call("evaluate", { body: `return ${source(f, values)};` }));
  }

  close() {
    return this.#call("close");
  }

  killRenderer() {
    return this.#call("terminate");
  }

  #call(method, params) {
    return this.#calls.call(method, { tab: this.#number, ...params });
  }
}
