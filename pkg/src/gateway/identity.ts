// Who a caller is: what `authorize` says, as the core takes it.

import type { Authorization, Identity } from "./options.js";

/** What `authorize` says if it permits a request; `true` says nothing of the caller. */
export type Permitted = true | string | Identity;

/** Whether the result of `authorize` permits the request. An empty text names nobody. */
export function isPermitted(result: Authorization | undefined): result is Permitted {
  const name = typeof result === "object" ? result?.name : result;
  return result === true || (typeof name === "string" && name !== "");
}

/** The caller's name, and its claims as JSON. A text is the claim `name`, if that is declared. */
export function claimsOf(result: Permitted, declared: readonly string[]): { name?: string; claims?: string } {
  if (result === true) return {};
  const identity: Identity = typeof result === "string" ? { name: result } : result;
  const { name, ...others } = identity;
  return { name, claims: JSON.stringify(declared.includes("name") ? identity : others) };
}
