// Reads that neither the server nor the device can answer.

import { RavenEdgeError } from "../../common/error.js";
import type { KeptAnswer, Missing } from "./kept-reader.js";

/** No request has reached the server; what a network's own page answers is none of its responses. */
export function isOutage(error: unknown): boolean {
  const { outage, code } = Object(error) as Partial<RavenEdgeError>;
  return !!outage || code === "BadAnswer";
}

/** What a read is rejected with. `isKeepable`: the device could have what is read. */
export function unreachable(kept: KeptAnswer | Missing, cause: unknown, isKeepable: boolean): unknown {
  const { code, message } = Object(cause) as Partial<RavenEdgeError>;
  if (cause && (!isKeepable || code === "BadAnswer")) return cause;
  const what = "missing" in kept ? kept.missing : "this";
  const why = message ? `: ${message}` : "";
  return new RavenEdgeError("Unreachable", `${what} is not kept on this device${why}`, {
    cause,
    outage: true,
  });
}
