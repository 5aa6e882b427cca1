// Rate limits: one for all requests of a client, and one for each named query or patch.

import { within } from "../common/timeout.js";
import type { RateLimiter } from "./limits-types.js";
import type { GatewayOptions, Operation } from "./options-types.js";
import type { Exchange } from "./report.js";

/** Whether a request may go on; `undefined` if a limiter does not respond in time. */
type Verdict = boolean | undefined;

const addressOf = (request: Request) => request.headers.get("CF-Connecting-IP") ?? "";

/** Counts a request by its client, before anything that costs. */
export function isWithinRate<Env>(
  { rateLimit }: GatewayOptions<Env>,
  { request, env }: Exchange<Env>,
  millis: number,
): Promise<Verdict> {
  const { limiter, key = addressOf } = rateLimit ?? {};
  return limiter ? isPermitted(limiter(env), key(request), millis) : Promise.resolve(true);
}

/** Counts the named queries and patches of a request, each by itself. `caller`: the name that `authorize` gave. */
export async function areNamesWithinRate<Env>(
  { rateLimit }: GatewayOptions<Env>,
  { request, env }: Exchange<Env>,
  operations: readonly Operation[],
  caller: string | undefined,
  millis: number,
): Promise<Verdict> {
  for (const { action, name } of operations) {
    const limiters = action === "patch" ? rateLimit?.patches : rateLimit?.queries;
    const limiter = name === undefined ? undefined : limiters?.[name];
    if (limiter === undefined) continue;
    const client = rateLimit?.key?.(request) ?? caller ?? addressOf(request);
    const verdict = await isPermitted(limiter(env), `${action} ${name} ${client}`, millis);
    if (!verdict) return verdict;
  }
  return true;
}

async function isPermitted(limiter: RateLimiter, key: string, millis: number): Promise<Verdict> {
  return (await within(millis, limiter.limit({ key })))?.success;
}
