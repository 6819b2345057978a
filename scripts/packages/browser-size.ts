/** The size of the client in a page: a minified, compressed bundle of the exports that a page uses. */
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { root } from "../start/build.ts";
import { getPackageDir } from "./build.ts";
import { CLIENT_PACKAGE } from "./client.ts";

/** Client, playing and watching: everything but wallets, chain and flows. */
const WITHOUT_CHAIN = "createClient, playSession, spectate";
/** Modules for a chain: all of viem except its index, errors and utilities (hashes, hex, addresses). */
const isChainModule = (path: string): boolean =>
  /\/viem\/_esm\/(?!utils\/|errors\/|index\.js$)|\/@noble\/curves\//.test(path);

export interface BrowserSize {
  readonly minifiedBytes: number;
  readonly gzipBytes: number;
  /** Modules for a chain in the bundle: clients, actions, accounts, curves. */
  readonly chainModules: number;
}

/** Bundles exports of the built package for a browser, tree-shaken. */
export async function bundleForBrowser(names = WITHOUT_CHAIN) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export { ${names} } from "${getPackageDir(CLIENT_PACKAGE)}/index.js";`, resolveDir: root },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const modules = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  return { contents: outputFiles[0]!.contents, modules };
}

export async function measureBrowserBuild(): Promise<BrowserSize> {
  const { contents, modules } = await bundleForBrowser();
  return {
    minifiedBytes: contents.length,
    gzipBytes: gzipSync(contents, { level: 9 }).length,
    chainModules: modules.filter(isChainModule).length,
  };
}
