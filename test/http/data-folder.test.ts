import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { startTestStack } from "../helpers/suite.ts";

describe("the data folder", () => {
  it("and everything in it can be read and written only by its owner", async () => {
    const parent = await mkdtemp(join(tmpdir(), "arcade-modes-"));
    const dataDir = join(parent, "data");
    const stack = await startTestStack({ dataDir });
    try {
      const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
      const paths = [dataDir, ...entries.map((entry) => join(entry.parentPath, entry.name))];
      expect(paths.length).to.be.greaterThan(4);
      for (const path of paths) {
        const stats = await stat(path);
        expect((stats.mode & 0o777).toString(8), path).to.equal(stats.isDirectory() ? "700" : "600");
      }
    } finally {
      await stack.close();
      await rm(parent, { recursive: true });
    }
  });
});
