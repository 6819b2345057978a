/** What a page pays for the client: a bundle of what it uses, minified and compressed. */
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { root } from "../start/build.ts";
import { packageDir } from "./build.ts";

/** Client, playing and watching: everything but wallets, chain and flows. */
const WITHOUT_CHAIN = "createClient, playSession, spectate";

export interface BrowserSize {
  readonly minifiedBytes: number;
  readonly gzipBytes: number;
  /** Modules of viem in the bundle. */
  readonly viemModules: number;
}

/** Bundles the built package for a browser, tree-shaken. */
export async function measureBrowserBuild(): Promise<BrowserSize> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export { ${WITHOUT_CHAIN} } from "${packageDir}/index.js";`, resolveDir: root },
    ...{ bundle: true, minify: true, format: "esm", platform: "browser", target: "es2022" },
    ...{ write: false, metafile: true, logLevel: "silent" },
  });
  const { contents } = outputFiles[0]!;
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).filter(([path, { bytesInOutput }]) => path.includes("/viem/") && bytesInOutput > 0),
  );
  return {
    minifiedBytes: contents.length,
    gzipBytes: gzipSync(contents, { level: 9 }).length,
    viemModules: used.length,
  };
}
