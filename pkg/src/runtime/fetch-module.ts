// Fetches the WebAssembly module, and compiles it while it arrives.

/** Imports a script that contains a copy of the module. */
export type ImportInline = () => Promise<{ default: () => Promise<ArrayBuffer> }>;

/**
 * The module at `url`; `inline` is called if the file cannot be fetched or compiled, and where no module has a URL: in a bundle that is
 * an ordinary script.
 */
export async function fetched(url: () => URL, inline: ImportInline): Promise<WebAssembly.Module> {
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
