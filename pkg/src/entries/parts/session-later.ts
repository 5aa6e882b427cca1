// What sessions load when it is first used.

export const PARTS = {
  capabilities: () => import("./capabilities-later.js"),
  liveCode: () => import("../../live/live.js"),
  plural: () => import("../../../gen/plural.js"),
  session: () => import("../../session/rarely-used.js"),
  sources: () => import("../../core/other-sources.js"),
};
