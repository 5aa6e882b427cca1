// What bundlers of Workers make of an imported module.

declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "*.wasm?module" {
  const module: WebAssembly.Module;
  export default module;
}

// A module of Cloudflare Workers.
declare module "cloudflare:sockets" {
  export function connect(address: { hostname: string; port: number }): unknown;
}
