// Who calls the gateway, and how often.

import { within } from "../common/time.js";
import type { Authorization, GatewayOptions, Identity, Operation, RateLimiter } from "./options-types.js";
import type { Exchange } from "./report.js";

/** The results of `authorize` that permit a request; `true` does not identify the caller. */
export type Permitted = true | string | Identity;

/**
 * Calls `authorize`, and waits at most `millis`. Options without `authorize` permit everything. `null`: nobody is signed in. `false`:
 * refused, also if `authorize` fails or takes longer; the log then says which.
 */
export async function askAuthorize<Env>(
  { authorize }: GatewayOptions<Env>,
  millis: number,
  operations: Operation[],
  { request, env, context, line }: Exchange<Env>,
): Promise<Permitted | null | false> {
  if (!authorize) return true;
  try {
    const result = await within(millis, authorize(request, { operations }, env, context));
    if (result === undefined) line.note(`authorize returned nothing within ${millis} ms`);
    return result === null || isPermitted(result) ? result : false;
  } catch (error) {
    line.note(error);
    return false;
  }
}

/** Whether the result of `authorize` permits the request. An empty text does not. */
function isPermitted(result: Authorization | undefined): result is Permitted {
  const name = typeof result === "object" ? result?.name : result;
  return result === true || (typeof name === "string" && name !== "");
}

const identityOf = (result: Permitted): Partial<Identity> =>
  result === true ? {} : typeof result === "string" ? { name: result } : result;

/** The caller's name. */
export const nameOf = (result: Permitted): string | undefined => identityOf(result).name;

/** The caller's claims as JSON. The name is also the claim `name`, if that is declared. */
export function claimsOf(result: Permitted, declared: readonly string[] = []): string {
  const { name, ...others } = identityOf(result);
  return JSON.stringify(declared.includes("name") ? { name, ...others } : others);
}

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
  return limiter ? isWithin(limiter(env), key(request), millis) : Promise.resolve(true);
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
    const verdict = await isWithin(limiter(env), `${action} ${name} ${client}`, millis);
    if (!verdict) return verdict;
  }
  return true;
}

async function isWithin(limiter: RateLimiter, key: string, millis: number): Promise<Verdict> {
  return (await within(millis, limiter.limit({ key })))?.success;
}
