// The death of pages: the processes that run them are killed, and what is left of their tabs goes.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { until } from "./store.mjs";

/**
 * Kills what runs these tabs. With `profile` they are all tabs of the browser that runs with it, and Chromium's renderers
 * get SIGKILL as the others' do; a single one it only crashes by itself.
 */
export async function killContents(profile, tabs) {
  const pids = profile ? renderers(profile) : [];
  for (const pid of pids) process.kill(pid, "SIGKILL");
  // Whoever is told of the death has to listen before this turn of the event loop is over.
  await Promise.all(tabs.map((tab) => tab.killRenderer()));
  // Chromium keeps a renderer ahead of need. It is buried once the browser knows of its death, and gives it to no new tab.
  await until(() => !pids.some((pid) => existsSync(`/proc/${pid}`)), "the burial of the renderers");
}

/** Chromium's renderers of a profile; none for other browsers. */
function renderers(profile) {
  const processes = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      // The name in brackets may hold anything; state and parent come after the last bracket.
      const parent = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ")[1];
      processes.set(pid, { command, parent });
    } catch {
      // It has ended between the list and the look.
    }
  }
  const belongs = (pid) => {
    const { command, parent } = processes.get(pid) ?? {};
    return !!command && (command.includes(`--user-data-dir=${profile}`) || belongs(parent));
  };
  const isRenderer = (pid) => processes.get(pid).command.includes("--type=renderer");
  return [...processes.keys()].filter((pid) => isRenderer(pid) && belongs(pid)).map(Number);
}
