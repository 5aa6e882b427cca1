// Counters that are lowered, and slow leases, some of which are pending whenever that happens.
import { isLease } from "../../support/proxy.mjs";
import { counter, ravendb, setCounter } from "../../support/server.mjs";

/** A rule for the proxy. */
export const delays = (random) => (request) =>
  isLease(request) && random.chance(0.5)
    ? new Promise((resolve) => setTimeout(resolve, random.below(150)))
    : undefined;

/** Lowers the counter of a tag as planned, never raises it; returns what it did. */
export async function setBack(base, tag, highest, { share, below }) {
  const max = (await counter(ravendb, base, tag)) ?? 0;
  const Max = Math.max(0, share === undefined ? Math.min(max, highest - below) : Math.floor(max * share));
  await setCounter(ravendb, base, tag, Max);
  return `the counter of ${tag} is set back from ${max} to ${Max}`;
}
