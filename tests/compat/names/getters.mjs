// How objects.mjs and values.mjs get what they name: from `world`, which is what one call has (child.mjs), for `use`.

export const of = (get) => async (world, use) => use(await get(world));
export const session = (get) => of(({ session }) => get(session));
export const advanced = (get) => of(({ session }) => get(session.advanced));
