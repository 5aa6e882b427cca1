// Real browsers with a profile on disk, driven alike; for what Playwright hides: death, restarts, closing tabs.
import * as chromium from "./browsers/chromium.mjs";
import * as firefox from "./browsers/firefox.mjs";
import * as webkit from "./browsers/webkit.mjs";

/**
 * Each is `{ name, missing, launch }`: `missing` says why there are no tests in it, or is `false`.
 *
 * `launch({ profile })` starts it with that folder as its profile (else one that goes with it), and gives
 * - `version`
 * - `open(url)`: a tab of its own, in front of the others
 * - `close()`: as a user ends it
 * - `kill()`: SIGKILL to all of its processes
 *
 * and a tab, each of whose methods waits for its effect, has
 * - `goto(url)`, `reload()`, `back()`, `forward()`
 * - `evaluate(f, ...values)`: what the function answers in the page, as JSON
 * - `close()`: the tab alone, without questions
 * - `killRenderer()`: the process that runs the page, with all pages that it runs
 */
export const browsers = [chromium, firefox, webkit];
