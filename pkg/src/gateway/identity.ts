// Asks `authorize` who the caller is, and converts the result to what the core takes: a name, and claims as JSON.

import { within } from "../common/timeout.js";
import type { Authorization, GatewayOptions, Identity, Operation } from "./options-types.js";
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
