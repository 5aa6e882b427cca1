// In pages the code for changes is loaded when it is first used; its functions can be called at once.

import { LIVE } from "../runtime/declared-members.js";
import { loadPart, type Parts } from "../runtime/load-part.js";
import { promised } from "../runtime/stand-in.js";

type Live = Parts["liveCalls"];

export const changesOf: Live["changesOf"] = (...given) =>
  promised(
    LIVE,
    "changes",
    loadPart("live").then((code) => code.changesSoon(...given)),
  );

export const watch: Live["watch"] = (...given) => {
  const watching = loadPart("live").then((code) => code.watchSoon(...given));
  watching.catch((error) => given[2](undefined, { connected: false, stale: true, error }));
  return () => {
    watching.then(
      (stop) => stop(),
      () => {},
    );
  };
};
