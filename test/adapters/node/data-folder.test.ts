import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { makeDataFolder } from "../../../backend/adapters/node/data-folder.ts";

describe("a data folder that cannot be used", () => {
  const folder = mkdtempSync(join(tmpdir(), "arcade-data-folder-"));
  after(() => rmSync(folder, { recursive: true }));

  it("is rejected with what is wrong with its path", () => {
    const link = join(folder, "link");
    symlinkSync(join(folder, "nowhere", "data"), link);
    const file = join(folder, "file");
    writeFileSync(file, "");
    const below = join(file, "data");
    for (const [path, code, advice] of [
      [link, "ENOENT", "its file system is read-only, or a link in the path leads nowhere"],
      [file, "EEXIST", "it is a file, or below one"],
      [below, "ENOTDIR", "it is a file, or below one"],
    ] as const)
      expect(() => makeDataFolder(path), path).to.throw(
        `Expected a folder that this user can write, received ${path} (${code}): ${advice}; set another ARCADE_DATA_DIR.`,
      );
  });
});
