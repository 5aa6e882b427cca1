/** Areas in which raven-edge still differs: not registered as tests. What `extras` shows belongs to `conditionalLoad`. */
export const NOT_YET = ["extras"];

/** Areas whose program does not compile against `pkg/index.d.ts` yet. Empty this list. */
export const UNTYPED = ["extras"];
