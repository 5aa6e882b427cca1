// A child process that runs cases. It is started again when a case has killed it or has taken too long.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const CHILD = fileURLToPath(new URL("./child.mjs", import.meta.url));

export class Runner {
  #folder;
  #count;
  #first;
  #child;

  /** `count`: the number of mutants; `first`: the one that is on while modules are loaded. */
  constructor(folder, count, first = -1) {
    this.#folder = folder;
    this.#count = count;
    this.#first = first;
  }

  #start() {
    if (this.#child) return this.#child;
    const given = JSON.stringify({ folder: this.#folder, count: this.#count, first: this.#first });
    const child = fork(CHILD, [given], { stdio: ["ignore", "pipe", "pipe", "ipc"] });
    child.printed = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data) => {
        child.printed = (child.printed + data).slice(-1_000);
      });
    child.on("exit", () => {
      if (this.#child === child) this.#child = undefined;
    });
    this.#child = child;
    return child;
  }

  end() {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }

  /** All cases of parts. */
  list(parts) {
    const child = this.#start();
    return new Promise((resolve, reject) => {
      child.once("message", ({ all }) => resolve(all));
      child.once("exit", () => reject(new Error(`the parts do not load: ${child.printed}`)));
      child.send({ list: parts });
    });
  }

  /**
   * Runs cases one after the other. `onResult` gets the result of each, and returns true if the rest is not needed. A case that kills the
   * process, or takes longer than `limit` milliseconds, has a result of that; the others go on in another process.
   */
  async run(job, onResult) {
    let left = job.cases;
    while (left.length > 0) left = await this.#some({ ...job, cases: left }, onResult);
  }

  #some(job, onResult) {
    const child = this.#start();
    const done = new Set();
    let running = job.cases[0].join(": ");
    let isEnough = false;
    const take = (result) => {
      done.add(result.name);
      if (onResult(result)) isEnough = true;
    };
    return new Promise((resolve) => {
      let timer;
      const watch = () => {
        clearTimeout(timer);
        // A loop without end blocks the timer of the process itself.
        timer = setTimeout(() => child.kill("SIGKILL"), job.limit + 20_000);
      };
      const over = () => {
        clearTimeout(timer);
        child.off("message", hear);
        child.off("exit", exited);
        resolve(isEnough ? [] : job.cases.filter((each) => !done.has(each.join(": "))));
      };
      const hear = (message) => {
        watch();
        if (message.ends) return over();
        if (message.begins) running = message.begins;
        else if (message.atLoad) onResult(message);
        else take(message);
        if (isEnough && child.connected) child.send({ stop: true });
      };
      const exited = (code, signal) => {
        if (!done.has(running)) {
          const observations = [`died: ${signal ?? code} ${child.printed.slice(-300)}`];
          take({ name: running, observations, isLate: true });
        }
        over();
      };
      watch();
      child.on("message", hear);
      child.on("exit", exited);
      child.send(job);
    });
  }
}
