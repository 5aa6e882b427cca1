// What sessions in Workers load when it is first used: the upload has it, but a Worker that does not need it does not run it.

export const PARTS = {
  // The rules of plurals take a while to be read.
  plural: () => import("../../../gen/plural.js"),
  session: () => import("../../session/rarely-used.js"),
  sources: () => import("../../core/other-sources.js"),
};
