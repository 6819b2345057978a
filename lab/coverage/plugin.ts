import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { HardhatPlugin } from "hardhat/types/plugins";
import { type Branch, instrument } from "./instrument.ts";

/** Tests in Solidity, their helpers and mocks: the code they reach counts, their own code does not. */
export const TEST_FOLDERS = ["test/solidity/"];

/** Adds branches to Hardhat's coverage, which counts statements only, and lists them in `path`. */
export const createBranchPlugin = (path: string): HardhatPlugin => ({
  id: "branch-coverage",
  hookHandlers: {
    solidity: async () => ({
      default: async () => {
        const found = new Map<string, readonly Branch[]>();
        return {
          preprocessProjectFileBeforeBuilding: async (context, sourceName, fsPath, content, version, next) => {
            const counted = await next(context, sourceName, fsPath, content, version);
            const file = relative(context.config.paths.root, fsPath);
            if (TEST_FOLDERS.some((folder) => file.startsWith(folder))) return counted;
            const { source, branches } = instrument(file, counted);
            found.set(file, branches);
            writeFileSync(path, JSON.stringify([...found.values()].flat()));
            return source;
          },
        };
      },
    }),
  },
});
