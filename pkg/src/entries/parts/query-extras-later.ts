// What few queries use: loaded when it is first used, also in Workers.

export const EXTRAS = { extras: () => import("../../query-extras/extras.js") };
