// What sessions load when it is first used.

export const PARTS = {
  hilo: () => import("../../numbers/hilo-generators.js"),
  liveCode: () => import("../../live/live.js"),
  plural: () => import("../../../gen/plural.js"),
  session: () => import("../../session/rarely-used.js"),
};
