// Every option of the gateway in use; checked, never run.
import gateway, { type GatewayOptions, type Intent, type Level } from "raven-edge/gateway";

interface Env {
  RAVEN: { fetch(request: Request): Promise<Response> };
  SECRETS: string[];
  LIMITER: { limit(options: { key: string }): Promise<{ success: boolean }> };
}

const levels: readonly Level[] = ["lease", "create", "read", "change", "delete", "write"];

const options: GatewayOptions<Env> = {
  upstream: (env) => ({ url: "https://ravendb.example", fetch: env.RAVEN.fetch.bind(env.RAVEN) }),
  database: "Shop",
  path: "/raven",
  collections: { Orders: "write", Products: ["read"], Old: { allow: levels, prefix: "old/" } },
  secret: (env) => env.SECRETS,
  async authorize(request: Request, { operations }: Intent) {
    if (operations.some(({ action, ids }) => action === "delete" && ids.length > 1)) return false;
    return request.headers.get("Authorization") ?? true;
  },
  origins: ["https://app.example"],
  credentials: true,
  headers: ["Authorization"],
  limits: { range: 64, body: 65_536, commands: 16, ids: 64, page: 50, requests: 4 },
  rateLimit: { limiter: (env) => env.LIMITER, key: (request) => request.url },
  separator: "/",
};

const handler = gateway(options);
const response: Promise<Response> = handler.fetch(new Request("https://me"), {} as Env);
gateway({ upstream: "https://r", database: "x", collections: { A: "read" }, secret: "s" });
// @ts-expect-error no such level
gateway({ upstream: "https://r", database: "x", collections: { A: "admin" }, secret: "s" });
// @ts-expect-error the secret is missing
gateway({ upstream: "https://r", database: "x", collections: { A: "read" } });

export { response };
