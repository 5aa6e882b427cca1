// Where RavenDB's routes begin in a URL: what stands before them, such as `/raven`, is the Worker's own.

const ROUTES = /^(.*?)(\/databases\/.*|\/topology|\/build\/.*)$/;

/** A URL, taken apart. */
export interface Route {
  /** The URL up to the first segment that RavenDB knows. */
  base: string;
  /** The path from there on. */
  path: string;
  /** The path and the query from there on, with the characters of the URL. */
  target: string;
}

export function split(url: string): Route {
  const { origin, pathname } = new URL(url);
  const [, prefix = "", path = pathname] = ROUTES.exec(pathname) ?? [];
  const base = origin + prefix;
  // Cut out of the text as it came: errors quote it.
  return { base, path, target: url.slice(base.length) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The name of the database that a request is about; `undefined` when it is about none. */
export function databaseOf(url: string): string | undefined {
  const { path } = split(url);
  const inPath = /^\/databases\/([^/]*)\//.exec(path)?.[1];
  if (inPath !== undefined) return decode(inPath);
  return path === "/topology" ? (new URL(url).searchParams.get("name") ?? undefined) : undefined;
}
