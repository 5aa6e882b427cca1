// What sessions load when it is first used.

export const PARTS = {
  hilo: () => import("../apart/hilo-generators.js"),
  plural: () => import("../../gen/plural.js"),
  session: () => import("../apart/session.js"),
};
