// An answer to patches that is no JSON.

import { resultsIn } from "../results.js";

/** RavenDB may store what is no JSON (`1.`, a control character), and shows it where a patch gives its document back. */
export function mended(text) {
  const plain = (all, number) => number ?? all.replace(/\p{Cc}/gu, " ");
  try {
    return resultsIn(text.replace(/"(?:[^"\\]|\\.)*"|(-?\d+)\.(?!\d)/gs, plain));
  } catch {
    return [];
  }
}
