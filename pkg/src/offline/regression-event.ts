// The event `regression` of a queue: the server has gone back, or another device uses the receipt of this one.

import { REGRESSION_CLONED, REGRESSION_INCARNATION } from "../../gen/protocol.js";
import type { RegressionEvent } from "../store/store-event-types.js";
import type { Memory } from "./device/queue-state.js";

/** `why`: one of `REGRESSION_…`. */
export function regressionEvent(why: number, memory: Memory | undefined): RegressionEvent {
  const changes = [...(memory?.changes.values() ?? [])];
  const unsaved = changes.flatMap(({ commands }) => commands.map(({ id }) => id));
  const device = why === REGRESSION_CLONED ? "cloned" : "receipt lost";
  return { offline: why === REGRESSION_INCARNATION ? "incarnation" : device, unsaved: [...new Set(unsaved)] };
}
