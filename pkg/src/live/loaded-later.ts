// In pages the code for changes is loaded when it is first used; its functions can be called at once.

import { later, type Parts } from "../runtime/load-part.js";
import { standIn } from "../runtime/stand-in.js";

type Live = Parts["live"];

export const changesOf: Live["changesOf"] = (...given) =>
  standIn(later("liveCode").then((code) => code.changesSoon(...given)));

export const watch: Live["watch"] = (...given) => {
  const watching = later("liveCode").then((code) => code.watchSoon(...given));
  watching.catch((error) => given[2](undefined, { connected: false, stale: true, error }));
  return () => {
    watching.then((stop) => stop());
  };
};
