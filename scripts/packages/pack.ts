/** Packs a built package as a tarball for `npm install FILE`. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { getEnvironment } from "../../backend/config/environment.ts";
import { getPackageDir, type PackageDefinition } from "./build.ts";

const run = promisify(execFile);

export interface PackedPackage {
  readonly filename: string;
  /** Bytes of the tarball and of the files in it. */
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
}

/** Runs `npm pack` into a folder. Throws with npm's message. */
export async function packPackage(
  definition: Pick<PackageDefinition, "folder">,
  folder: string,
): Promise<PackedPackage> {
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
    cwd: getPackageDir(definition),
    env: { ...getEnvironment(), npm_config_loglevel: "error" },
  });
  return (JSON.parse(stdout) as readonly PackedPackage[])[0]!;
}
