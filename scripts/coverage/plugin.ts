import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { HardhatPlugin } from "hardhat/types/plugins";
import { type Branch, instrument } from "./instrument.ts";

/** Tests in Solidity, with their helpers and mocks: what they reach counts, they themselves do not. */
export const TESTS = "contracts/test/";

/** Adds branches to Hardhat's coverage, which knows statements alone, and lists them in `path`. */
export const makeBranchPlugin = (path: string): HardhatPlugin => ({
  id: "branch-coverage",
  hookHandlers: {
    solidity: async () => ({
      default: async () => {
        const found = new Map<string, readonly Branch[]>();
        return {
          preprocessProjectFileBeforeBuilding: async (context, sourceName, fsPath, content, version, next) => {
            const counted = await next(context, sourceName, fsPath, content, version);
            const file = relative(context.config.paths.root, fsPath);
            if (file.startsWith(TESTS)) return counted;
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
