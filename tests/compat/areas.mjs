/** Areas in which raven-edge still differs: not registered as tests. */
export const NOT_YET = [];

/** Areas whose program does not compile against `pkg/index.d.ts` yet. Empty this list. */
export const UNTYPED = [];
