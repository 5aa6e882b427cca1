// Real browsers with a profile on disk and a common interface, for what Playwright hides: crashes, restarts, closing
// tabs.
import * as chromium from "./browsers/chromium.mjs";
import * as firefox from "./browsers/firefox.mjs";
import * as webkit from "./browsers/webkit.mjs";

/**
 * Each is `{ name, missing, launch }`: `missing` says why its tests are skipped, or is `false`.
 *
 * `launch({ profile })` starts it with this folder as its profile (without one: with a temporary folder), and returns
 * - `version`
 * - `open(url)`: opens a tab in front of the others
 * - `close()`: ends it as a user does
 * - `kill()`: SIGKILL to all of its processes
 *
 * and a tab, whose methods wait for their effect, has
 * - `goto(url)`, `reload()`, `back()`, `forward()`
 * - `evaluate(f, ...values)`: the result of the function in the page, as JSON
 * - `show()`: brings it in front of the others; not in WebKitGTK
 * - `close()`: closes the tab without a confirmation
 * - `killRenderer()`: kills the process that runs the page, with all pages in it
 */
export const browsers = [chromium, firefox, webkit];
