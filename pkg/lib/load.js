// What a session asks for and the server answers, as it comes.

import { idOf } from "../hot/values.js";
import { fail } from "./error.js";

/**
 * The bodies of the answer to a request, or of those to `multi_get` (an error is one, too), and the numbers in them that
 * JavaScript cannot hold. There are `count` of them. `wait`: milliseconds that the server may
 * take beyond the time limit. `wanted`: for how many ids, if it is documents by their ids.
 */
export async function load(unit, route, body, count, wait, wanted) {
  const several = route === "multi_get";
  const task = unit.enter((core) => core.load(route, body, wait));
  let cause;
  try {
    const { answer, numbers } = await unit.run(task, (answer) => answer.read(several));
    // A 404 without a word, which anybody may give: a single id, or, like it, an index, that does not exist.
    if (answer === undefined && (wanted === 1 || route === "queries")) return { bodies: [], numbers };
    if (isAnswer(answer)) {
      const bodies = several ? answer.Results.map((part) => bodyOf(unit, part)) : [answer];
      // A redirect may make a GET of a POST, whose answer is a listing, which has no `Includes`.
      const isWhole =
        bodies.length === count &&
        bodies.every((body) => body instanceof Error || isAnswer(body)) &&
        (!(wanted > 1) || !!answer.Includes);
      if (isWhole) return { bodies, numbers };
    }
  } catch (error) {
    // RavenDB may store what is no JSON (`1.`).
    if (!(error instanceof SyntaxError)) throw error;
    cause = error;
  }
  strange(unit.store, body === undefined ? "GET" : "POST", route, cause);
}

/** Refuses an answer that RavenDB would not give. */
export function strange(store, method, route, cause) {
  const why = cause?.message ?? "it has not what was asked for";
  fail("BadAnswer", `the answer is none of RavenDB's (${why}): is this path forwarded to it?`, {
    cause,
    request: `${method} ${store.path(route.split("?")[0])}`,
  });
}

function bodyOf(unit, { StatusCode: status, Result }) {
  if (status === 200) return Result;
  if (status === 404) return { Results: [] };
  if (status === 304) return { Results: [], isKnown: true };
  return unit.enter((core) => core.refused(status, JSON.stringify(Result)));
}

function isAnswer(value) {
  return Array.isArray(value?.Results);
}

/** Documents as they are now, of which the session takes nothing in, and their inexact numbers by id. */
export async function read(unit, ids) {
  const { bodies, numbers } = await load(unit, "docs", JSON.stringify({ Ids: ids }), 1, 0, ids.length);
  return { documents: bodies.flatMap(({ Results }) => Results.filter(idOf)), numbers };
}
