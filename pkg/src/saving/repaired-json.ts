// Reads a response to patches that is not valid JSON.

import { type CommandResult, resultsIn } from "./settle.js";

/**
 * The results of a response, after repair; none if it cannot be repaired. RavenDB may store invalid JSON (`1.`, a control
 * character), and sends it back in the document that a patch has changed.
 */
export function repairedResults(text: string): CommandResult[] {
  const plain = (all: string, number: string | undefined) => number ?? all.replace(/\p{Cc}/gu, " ");
  try {
    return resultsIn(text.replace(/"(?:[^"\\]|\\.)*"|(-?\d+)\.(?!\d)/gs, plain));
  } catch {
    return [];
  }
}
