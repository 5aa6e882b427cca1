// Converts the result of `authorize` to the form of the core: who the caller is.

import type { Authorization, Identity } from "./options.js";

/** The results of `authorize` that permit a request; `true` does not identify the caller. */
export type Permitted = true | string | Identity;

/** Whether the result of `authorize` permits the request. An empty text does not. */
export function isPermitted(result: Authorization | undefined): result is Permitted {
  const name = typeof result === "object" ? result?.name : result;
  return result === true || (typeof name === "string" && name !== "");
}

/** The caller's name, and its claims as JSON. If the result is a text, it is also the claim `name`, if that is declared. */
export function claimsOf(result: Permitted, declared: readonly string[]): { name?: string; claims?: string } {
  if (result === true) return {};
  const identity: Identity = typeof result === "string" ? { name: result } : result;
  const { name, ...others } = identity;
  return { name, claims: JSON.stringify(declared.includes("name") ? identity : others) };
}
