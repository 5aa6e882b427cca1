// Kills pages: kills the processes that run them, and closes the remaining tabs.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { until } from "./store.mjs";

/**
 * Kills the processes that run these tabs. With `profile` these are all tabs of the browser with that profile, and
 * Chromium's renderers get SIGKILL as in other browsers; a single renderer can only be made to crash itself.
 */
export async function killContents(profile, tabs) {
  const pids = profile ? renderers(profile) : [];
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      // The spare one may have ended.
      if (error.code !== "ESRCH") throw error;
    }
  }
  // A listener for the death must be registered before this turn of the event loop ends.
  await Promise.all(tabs.map((tab) => tab.killRenderer()));
  // Chromium keeps a spare renderer. The browser discards it once it notices the death, and uses it for no new tab.
  await until(() => !pids.some((pid) => existsSync(`/proc/${pid}`)), "the burial of the renderers");
}

/** Chromium's renderers of a profile; none for other browsers. */
function renderers(profile) {
  const processes = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      // The name in brackets may contain anything; state and parent follow the last bracket.
      const parent = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ")[1];
      processes.set(pid, { command, parent });
    } catch {
      // It ended after the list was read.
    }
  }
  const belongs = (pid) => {
    const { command, parent } = processes.get(pid) ?? {};
    return !!command && (command.includes(`--user-data-dir=${profile}`) || belongs(parent));
  };
  const isRenderer = (pid) => processes.get(pid).command.includes("--type=renderer");
  return [...processes.keys()].filter((pid) => isRenderer(pid) && belongs(pid)).map(Number);
}
