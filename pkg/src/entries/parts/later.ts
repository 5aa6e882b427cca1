// What sessions with queries load when it is first used.

import { PARTS as SESSION } from "./session-later.js";

export const PARTS = {
  ...SESSION,
  capabilities: () => import("./queries-later.js"),
  named: () => import("../../named/named-calls.js"),
  rql: () => import("../../rql/render.js"),
  stream: () => import("../../stream/document-iterator.js"),
};
