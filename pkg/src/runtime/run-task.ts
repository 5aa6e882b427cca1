// Runs a task of the core: the task says what to wait for, this waits and hands the reply back.

import { REPLY_PROCEED, REPLY_UNREACHABLE, REPLY_UNSENT } from "../../gen/protocol.js";
import type { CoreTask } from "../core/core-task.js";
import type { TracedWork } from "../tracing/trace-types.js";
import type { EnterTask, Reply, Wait } from "./core.js";
import type { Runtime } from "./runtime.js";

/**
 * Runs a task to its end. After a failed attempt it goes on only while `wanted(failure)` is true, or resolves with it; `failure`: the
 * reply of the last attempt, if it reached no server. `take` gets the bytes and the status of each response, and gives the bytes that the core gets
 * in their place. `work`: the traced work to which its requests belong. `isUncached`: whether they bypass the cache of responses.
 */
export async function run(
  runtime: Runtime,
  task: CoreTask,
  wanted: (failure: Reply | undefined) => boolean | Promise<boolean> = () => true,
  take: ((bytes: Uint8Array, status: number) => Uint8Array) | undefined = undefined,
  work: TracedWork | undefined = undefined,
  isUncached = false,
): Promise<void> {
  const enter: EnterTask = runtime.bound((call) => call(task));
  let input: Reply = [REPLY_PROCEED, new Uint8Array()];
  let failure: Reply | undefined;
  const step = () => {
    Object.assign(runtime, { work, isUncached });
    try {
      return enter(() => task.step(...input)) as Wait | undefined;
    } finally {
      runtime.work = undefined;
    }
  };
  try {
    for (;;) {
      const wait = step();
      if (wait === undefined) return;
      // A function: it moves numbers between memory and IndexedDB, and asks the task (`decide`) in the transaction that has read the record.
      input = await runtime.whileAlive(typeof wait === "function" ? wait(enter) : wait);
      if (input[0] === REPLY_PROCEED && !(await wanted(failure))) return;
      failure = input[0] === REPLY_UNREACHABLE || input[0] === REPLY_UNSENT ? input : undefined;
      if (take && input[0] >= 200) input[1] = take(input[1], input[0]);
    }
  } finally {
    // A lease whose task is abandoned counts as failed: the task says so when it is freed. A task is gone with an instance that has died.
    if (enter.alive()) enter(() => task.free());
  }
}
