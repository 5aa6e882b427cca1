// Where RavenDB's routes begin in a URL: whatever stands before them, such as `/raven`, is the Worker's own.

const ROUTES = /^(.*?)(\/databases\/.*|\/topology|\/build\/.*)$/;

/** The path from the first segment that RavenDB knows on, and the URL of what comes before it. */
export function split(url) {
  const { origin, pathname } = new URL(url);
  const [, prefix, path] = ROUTES.exec(pathname) ?? ["", "", pathname];
  const base = origin + prefix;
  // Cut out of the text as it came: errors quote it.
  return { base, path, target: url.slice(base.length) };
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The name of the database that a request is about; undefined when it is about none. */
export function databaseOf(url) {
  const { path } = split(url);
  const inPath = /^\/databases\/([^/]*)\//.exec(path)?.[1];
  if (inPath !== undefined) return decode(inPath);
  return path === "/topology" ? (new URL(url).searchParams.get("name") ?? undefined) : undefined;
}
