// What sessions with queries load when it is first used.

import { EXTRAS } from "./query-extras-later.js";
import { PARTS as SESSION } from "./session-later.js";

export const PARTS = {
  ...SESSION,
  ...EXTRAS,
  named: () => import("../../named/named-calls.js"),
  rql: () => import("../../rql/render.js"),
  stream: () => import("../../stream/document-iterator.js"),
};
