/** Variables, secrets and bindings of wrangler.jsonc and .dev.vars. */
interface Env {
  ASSETS: { fetch(request: Request): Promise<Response> };
  DB_URLS: string;
  DB_NAME: string;
  DB_CERT?: { fetch(request: Request): Promise<Response> };
  GATEWAY_SECRET: string;
  SESSION_SECRET: string;
}

declare module "cloudflare:workers" {
  export const env: Env;
}
