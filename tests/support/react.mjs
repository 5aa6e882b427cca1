// React for pages that are served as they are.
import { build } from "esbuild";
import { root } from "./root.mjs";

/** React and its renderer as one module, with the names that page and package use. */
export async function reactModule() {
  const contents = `import React from "react"; import { createRoot } from "react-dom/client";
    export const { createContext, createElement, StrictMode, useContext, useMemo, useState, useSyncExternalStore } = React;
    export { createRoot };`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    format: "esm",
    define: { "process.env.NODE_ENV": '"development"' },
    write: false,
  });
  return outputFiles[0].text;
}
