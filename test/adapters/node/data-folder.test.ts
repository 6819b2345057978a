import { spawnSync } from "node:child_process";
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
      [link, "ENOENT", "its file system takes no new folders, or a link in the path leads nowhere"],
      [file, "EEXIST", "it is a file, or below one"],
      [below, "ENOTDIR", "it is a file, or below one"],
    ] as const)
      expect(() => makeDataFolder(path), path).to.throw(
        `Expected a folder that this user can write, received ${path} (${code}): ${advice}; set another ARCADE_DATA_DIR.`,
      );
  });

  it("is rejected on a file system that takes no new folders", function () {
    if (process.platform !== "linux") this.skip();
    const module = new URL("../../../backend/adapters/node/data-folder.ts", import.meta.url).href;
    const program = `import { makeDataFolder } from ${JSON.stringify(module)}; makeDataFolder("/proc/a/b");`;
    // In its own process, since a call that never returns would stop this one.
    const { stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
      timeout: 10_000,
      encoding: "utf8",
    });
    expect(stderr).to.include("received /proc/a/b (ENOENT): its file system takes no new folders");
  });
});
