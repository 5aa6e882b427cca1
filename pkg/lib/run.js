// Drives a task of the core: it says what to wait for, this waits and brings back what came.

import { REPLY_PROCEED } from "../gen/protocol.js";

/**
 * Runs a task to its end. After a failed attempt it goes on only while it is `wanted`. `take` gets the bytes and the status of a
 * response, and gives what the core gets of the bytes.
 */
export async function run(runtime, task, wanted = () => true, take = undefined) {
  const enter = runtime.bound((method, input) => task[method](...input));
  let input = [REPLY_PROCEED, new Uint8Array()];
  try {
    for (;;) {
      const wait = enter("step", input);
      if (wait === undefined) return;
      // A move is decided by the task itself, while the record is at hand.
      input = await runtime.whileAlive(typeof wait === "function" ? wait(enter) : wait);
      if (input[0] === REPLY_PROCEED && !wanted()) return;
      if (take && input[0] >= 200) input[1] = take(input[1], input[0]);
    }
  } finally {
    // An abandoned lease is one that failed, which its task tells when it goes. With a dead instance it is gone.
    if (enter.alive()) enter("free", []);
  }
}
