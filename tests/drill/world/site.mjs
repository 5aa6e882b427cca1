// The web site of a device: the package and the page, and what is below /raven goes to a gateway.
import { readFileSync } from "node:fs";
import { serve } from "../../support/serve.mjs";

const script = (name) => {
  const text = readFileSync(new URL(name, import.meta.url));
  return (_, response) => response.writeHead(200, { "content-type": "text/javascript" }).end(text);
};

const page = (
  setting,
) => `<!doctype html><meta charset=utf-8><title>drill</title><link rel=icon href="data:,">
<script>
globalThis.setting = ${JSON.stringify(setting)};
globalThis.ready = new Promise((resolve) => { globalThis.begin = resolve; });
</script>
<script type=module src=/drill/page.js></script>`;

/** `folder`: of the package. */
export const site = (t, { folder, raven, setting }) =>
  serve(t, {
    folder,
    raven,
    pages: { "/": page(setting), "/away": "<!doctype html><meta charset=utf-8><title>away</title>" },
    handlers: {
      "/drill/page.js": script("../clients/page.js"),
      "/drill/actions.js": script("../clients/actions.js"),
    },
  });
