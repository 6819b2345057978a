/** Builds the viewer into `web/dist`: hashed files from this server alone, nothing from elsewhere. */
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    // A file of its own is cached; an inlined one would ask for `data:` in the page's content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
