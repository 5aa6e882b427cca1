// Fetches the WebAssembly module, and compiles it while it arrives.

/** Imports a script that contains a copy of the module. */
export type ImportInline = () => Promise<{ default: () => Promise<ArrayBuffer> }>;

/** What Vite and webpack say about a build; other tools have no `env`. */
type Build = ImportMeta & { readonly env?: { readonly PROD?: boolean } };

/** For build tools that do not copy the `.wasm` file. Vite and webpack copy it in production builds, and remove this import there. */
const inline: ImportInline = () =>
  (import.meta as Build).env?.PROD ? Promise.reject() : import("../../gen/inline.js");

/**
 * The module at `url`, or its copy in a script: if the file cannot be fetched or compiled, and where no module has a URL, in a bundle that is
 * an ordinary script.
 */
export async function fetched(url: () => URL): Promise<WebAssembly.Module> {
  try {
    const response = await fetch(url());
    const streams = response.headers.get("content-type")?.startsWith("application/wasm");
    return await (streams
      ? WebAssembly.compileStreaming(response)
      : WebAssembly.compile(await response.arrayBuffer()));
  } catch (error) {
    // Some development servers respond with an HTML page if the file does not exist; an offline cache may lack it.
    const { default: unpacked } = await inline().catch(() => {
      throw error;
    });
    return WebAssembly.compile(await unpacked());
  }
}
