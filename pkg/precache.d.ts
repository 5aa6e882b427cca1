/**
 * The files that a page needs to start without a connection, of each entry for pages, as paths inside of the package. The build of the package
 * writes the lists, so that no service worker names files by hand. `docs/offline-start.md` shows how they are used.
 *
 * ```ts
 * import precache from "raven-edge/precache";
 *
 * const { start, later } = precache["raven-edge"]!;
 * const files = [...start, ...Object.values(later).flat()].map((path) => `/node_modules/raven-edge/${path}`);
 * ```
 */
declare const precache: Readonly<
  Record<
    string,
    {
      /** What a page loads at once: scripts, and the module of WebAssembly. */
      readonly start: readonly string[];
      /** What it loads on first use, by the name of the part. Parts share files. */
      readonly later: Readonly<Record<string, readonly string[]>>;
    }
  >
>;
export default precache;
