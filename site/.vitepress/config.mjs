import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { groups, slug, titleOf } from "../stage.mjs";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

const sidebar = await Promise.all(
  (await groups()).map(async ({ title, pages }) => ({
    text: title,
    items: await Promise.all(
      pages.map(async (name) => ({ text: await titleOf(name), link: `/docs/${name}` })),
    ),
  })),
);

/** Pages that VitePress has not made: the browser loads them. */
const outside = { target: "_self" };

export default defineConfig({
  lang: "en",
  title: "raven-edge",
  description: "RavenDB sessions, queries and ids for browsers and edge runtimes",
  srcDir: path("../../target/site/pages"),
  outDir: path("../../target/site/www"),
  cacheDir: path("../../target/site/cache"),
  cleanUrls: true,
  ignoreDeadLinks: false,
  head: [["link", { rel: "icon", href: "/icon.svg", type: "image/svg+xml" }]],
  markdown: {
    anchor: { slugify: slug },
    // Both have a contrast of at least 4.5 for comments, too.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
  },
  vite: {
    resolve: { alias: [{ find: /^.*\/VPHome\.vue$/, replacement: path("theme/Home.vue") }] },
    // The text of all pages for the search, which is loaded with the first search.
    build: { chunkSizeWarningLimit: 2_000 },
  },
  themeConfig: {
    logo: "/icon.svg",
    nav: [
      { text: "Start", link: "/docs/start-browser", activeMatch: "/docs/(start-|getting-)" },
      { text: "All pages", link: "/docs/" },
      {
        text: "API",
        items: [
          { text: "TypeScript", link: "/api/index.html", ...outside },
          { text: "Rust", link: "/rust/raven_edge_client/index.html", ...outside },
          { text: "Errors", link: "/docs/errors" },
        ],
      },
      { text: "Demo", link: "/demo/", ...outside },
    ],
    sidebar: { "/": sidebar },
    outline: { level: [2, 3] },
    search: { provider: "local" },
    externalLinkIcon: false,
  },
});
