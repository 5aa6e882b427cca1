/** Areas in which raven-edge still differs: not registered as tests. What `extras` shows belongs to queries and patches. */
export const NOT_YET = ["extras"];

/** Areas whose program does not compile against `pkg/index.d.ts` yet. Empty this list. */
export const UNTYPED = ["extras"];
