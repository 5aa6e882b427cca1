// Finds RavenDB's route in a URL. The path before it, such as `/raven`, belongs to the Worker.

const ROUTES = /^(.*?)(\/databases\/.*|\/topology|\/build\/.*)$/;

/** The parts of a URL. */
export interface Route {
  /** The URL before RavenDB's route. */
  base: string;
  /** The path of the route. */
  path: string;
  /** Path and query of the route, not decoded. */
  target: string;
}

export function split(url: string): Route {
  const { origin, pathname } = new URL(url);
  const [, prefix = "", path = pathname] = ROUTES.exec(pathname) ?? [];
  const base = origin + prefix;
  // Taken from the original text, because errors quote it.
  return { base, path, target: url.slice(base.length) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The name of the database of a request; `undefined`: none. */
export function databaseOf(url: string): string | undefined {
  const { path } = split(url);
  const inPath = /^\/databases\/([^/]*)\//.exec(path)?.[1];
  if (inPath !== undefined) return decode(inPath);
  return path === "/topology" ? (new URL(url).searchParams.get("name") ?? undefined) : undefined;
}
