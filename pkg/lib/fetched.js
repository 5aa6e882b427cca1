// A module that is fetched, and compiled as it arrives.

/** `inline` imports the module's text, in case that the file is not where it should be. */
export async function fetched(url, inline) {
  try {
    const response = await fetch(url);
    const streams = response.headers.get("content-type")?.startsWith("application/wasm");
    return await (streams
      ? WebAssembly.compileStreaming(response)
      : WebAssembly.compile(await response.arrayBuffer()));
  } catch (error) {
    // A dev server that does not know the file answers with a page; an offline cache may lack it.
    const { default: text } = await inline().catch(() => {
      throw error;
    });
    return WebAssembly.compile(decoded(text));
  }
}

/** The bytes of a module's text. */
export function decoded(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
