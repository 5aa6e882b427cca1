/** Areas in which raven-edge still differs; they are not registered as tests. */
export const NOT_YET = [];

/** Areas whose program does not compile with `pkg/index.d.ts` yet. This list should be empty. */
export const UNTYPED = [];
