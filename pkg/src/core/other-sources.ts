// Sources of ids beside the server's own leases. Pages load them when a store names one.

import { SOURCE_CLASSIC, SOURCE_DOCUMENT } from "../../gen/protocol.js";
import type { NumberSource } from "../numbers/number-source.js";
import { leaseFromApp } from "./app-source.js";
import { leaseFromDocument } from "./document-source.js";
import type { Exchange } from "./exchange.js";
import type { Ask, Grant } from "./grant.js";

export { releaseToApp } from "./app-source.js";

/** Leases a range. `base`: the path of the database, with a slash at its end. */
export function leaseFrom(source: NumberSource, base: string, separator: string, ask: Ask): Exchange<Grant> {
  const { kind, detail, counters, releasable, scoped } = source;
  const capacity = kind === SOURCE_CLASSIC ? detail : undefined;
  return kind === SOURCE_DOCUMENT
    ? leaseFromDocument(base, counters, separator, ask)
    : leaseFromApp({ capacity, releasable, scoped, separator }, ask);
}
