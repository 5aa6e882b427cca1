// Ports to which `fetch` sends nothing, outside of Cloudflare's runtime, which sends to all.

import { fail } from "../common/error.js";
import { addressOf } from "../store/check-options.js";

/** Ports that the Fetch standard forbids: https://fetch.spec.whatwg.org/#port-blocking */
const FORBIDDEN =
  /^(0|1|7|9|1[1379]|15|2[01235]|37|4[23]|53|69|7[79]|87|95|10[1-4]|109|11[013579]|123|13[579]|143|161|179|389|427|465|51[2345]|526|53[012]|540|548|55[46]|563|587|601|636|989|99[035]|1719|172[03]|2049|3659|4045|4190|506[01]|6000|6566|666[5-9]|6679|6697|10080)$/;

/** Refuses forbidden ports before `fetch` is called: in a browser its refusal looks like a lost connection. */
export function assertSendable(url: string): void {
  const { port } = addressOf(url);
  if (FORBIDDEN.test(port)) fail("InvalidArgument", `the Fetch standard forbids port ${port}`);
}
