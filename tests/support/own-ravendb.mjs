// A RavenDB process of a test's own, with its data on disk: it is stopped, killed, and started on the same port and folder.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Program, tree } from "./browsers/program.mjs";
import { freePort } from "./ports.mjs";

/** A command that starts RavenDB in the foreground and takes `--port N -- FLAGS`. */
const START = process.env.RAVENDB_START;
/** How often a start is tried: on a busy machine it may take longer than the limit of programs. */
const STARTS = 4;
/** In milliseconds: RavenDB is killed if it has not ended by then. */
const GRACE = 20_000;

/** Why a test that needs one is skipped; `false` if one can be started. */
export const missingOwnRavenDb = !START && "no command that starts a RavenDB (RAVENDB_START)";

function killed(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

/** Whether a process runs; one that has ended and waits for its parent does not. */
function isAlive(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)[0] !== "Z";
  } catch {
    return false;
  }
}

export class OwnRavenDb {
  url;
  folder;
  #port;
  #program;

  /** It keeps everything in `folder`. */
  constructor(folder) {
    this.folder = folder;
  }

  async start() {
    this.#port ??= await freePort();
    const [program, ...first] = START.split(" ");
    const flags = ["--RunInMemory=false", `--DataDir=${join(this.folder, "data")}`];
    const args = [...first, "--port", String(this.#port), "--", ...flags];
    for (let attempt = 1; ; attempt++) {
      this.#program = new Program(program, args, { TMPDIR: this.folder, RAVENDB_URL: "" });
      try {
        [, this.url] = await this.#program.printed(/Server available on: (http\S+)/);
        return;
      } catch (error) {
        await this.end(true);
        if (attempt === STARTS) throw error;
      }
    }
  }

  /** Ends the process as an administrator does; SIGKILL otherwise. Resolves when no process of it runs any more. */
  async end(isKilled) {
    // The program that started RavenDB may end before it, and the next one needs its port and its folder.
    const all = tree(this.#program.child.pid);
    if (isKilled) await this.#program.kill();
    else this.#program.child.kill("SIGTERM");
    for (let end = Date.now() + GRACE; all.some(isAlive); await sleep(50)) {
      if (Date.now() < end) continue;
      for (const pid of all.filter(isAlive)) killed(pid);
    }
    await this.#program.ended;
  }
}
