/** An esbuild plugin: all code that needs viem is one script, loaded when a part of it is first imported. */
import { resolve } from "node:path";
import type { Plugin } from "esbuild";

const ROOT = resolve(import.meta.dirname, "..");
/** Loaded by `import()`. No two have exports of one name. */
const MODULES = [
  "client/check-sign-in.ts",
  "client/verify-replay.ts",
  "client/vote.ts",
  "web/account/account-view.tsx",
  "web/console/open-console.tsx",
  "web/explorer/show.tsx",
  "web/market/seaport.ts",
  "web/replay/find-event.ts",
  "web/stats/paid-by-day.ts",
  "web/vote/recount.ts",
  "web/wallet/connect.ts",
].map((path) => resolve(ROOT, path));

const NAMESPACE = "chain-tools";

export const groupScripts: Plugin = {
  name: "group-scripts",
  setup(build) {
    build.onResolve({ filter: /^\.{1,2}\// }, ({ path, kind, resolveDir }) =>
      kind === "dynamic-import" && MODULES.includes(resolve(resolveDir, path))
        ? { path: NAMESPACE, namespace: NAMESPACE }
        : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: NAMESPACE }, () => ({
      contents: MODULES.map((path) => `export * from ${JSON.stringify(path)};`).join("\n"),
      resolveDir: ROOT,
    }));
  },
};
