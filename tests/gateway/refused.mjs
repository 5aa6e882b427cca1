// The table of what the gateway refuses, and forwards nothing of.

import { batches } from "./refused/batches.mjs";
import { bodies } from "./refused/bodies.mjs";
import { ids } from "./refused/ids.mjs";
import { nested } from "./refused/nested.mjs";
import { origins } from "./refused/origins.mjs";
import { returns } from "./refused/returns.mjs";
import { routes } from "./refused/routes.mjs";

/** What is refused before anything is sent: `[name, request, Type]`. `tokens`: of two callers, and of a fresh fence. */
export const refused = (client, tokens) =>
  [routes, ids, bodies, batches, nested, returns, origins].flatMap((rows) => rows(client, tokens));
