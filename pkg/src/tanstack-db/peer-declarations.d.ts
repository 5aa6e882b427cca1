// What is used of the optional peer `@tanstack/db` (pkg/tsconfig.json leads here). Its own declarations do not compile with
// `exactOptionalPropertyTypes`, so they are no part of ours.

export const BTreeIndex: unknown;
export function deepEquals(one: unknown, other: unknown): boolean;
