// Requests that the gateway refuses, without forwarding anything.

import { attachments } from "./refused/attachments.mjs";
import { batches } from "./refused/batches.mjs";
import { bodies } from "./refused/bodies.mjs";
import { ids } from "./refused/ids.mjs";
import { nested } from "./refused/nested.mjs";
import { origins } from "./refused/origins.mjs";
import { returns } from "./refused/returns.mjs";
import { routes } from "./refused/routes.mjs";

/**
 * Refused requests: `[name, request, Type]`, with the type of the error; a fourth value says that a beginning is forwarded. `client` makes requests; `tokens`: the results of leases of
 * two callers, and the current fence of the counter.
 */
export const refused = (client, tokens) =>
  [routes, ids, bodies, batches, nested, returns, origins, attachments].flatMap((rows) =>
    rows(client, tokens),
  );
