// What sessions load when it is first used.

import { CAPABILITIES } from "./capabilities-later.js";

export const PARTS = {
  ...CAPABILITIES,
  liveCode: () => import("../../live/live.js"),
  plural: () => import("../../../gen/plural.js"),
  session: () => import("../../session/rarely-used.js"),
};
