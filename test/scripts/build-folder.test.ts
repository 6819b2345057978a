import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "chai";
import { buildFolderOnce, buildSiteFolder, buildWhereAllowed } from "../../scripts/start/build.ts";

const FILES = Array.from({ length: 20 }, (_, index) => `${index}.js`);

describe("a cached build folder", () => {
  let parent: string;
  let folder: string;
  let builds = 0;
  beforeEach(async () => {
    builds = 0;
    parent = await mkdtemp(join(tmpdir(), "arcade-build-"));
    folder = join(parent, "dist");
  });
  afterEach(() => rm(parent, { recursive: true, force: true }));

  /** Empties its folder first, as bundlers do, and writes one file after the other. */
  async function build(outDir: string): Promise<void> {
    builds += 1;
    await rm(outDir, { recursive: true, force: true });
    await mkdir(outDir, { recursive: true });
    for (const name of FILES) {
      await writeFile(join(outDir, name), name);
      await nextTurn();
    }
  }
  const readAll = (): Promise<string[]> =>
    Promise.all(FILES.map((name) => readFile(join(folder, name), "utf8"))).catch((error) => [String(error)]);

  it("is complete for each of several processes that build it at once", async () => {
    const delays = [0, 1, 5, 10, 40];
    const seen = await Promise.all(
      delays.map(async (turns) => {
        for (let turn = 0; turn < turns; turn++) await nextTurn();
        await buildFolderOnce(folder, "inputs", build);
        return await readAll();
      }),
    );
    expect(seen).to.deep.equal(delays.map(() => FILES));
    expect(await readdir(parent), "nothing else is left").to.deep.equal(["dist"]);
  });

  it("is rebuilt only for other inputs, without files of the last build", async () => {
    expect(await buildFolderOnce(folder, "one", build)).to.equal(true);
    await writeFile(join(folder, "extra.js"), "");
    expect(await buildFolderOnce(folder, "one", build)).to.equal(false);
    expect(await buildFolderOnce(folder, "two", build)).to.equal(true);
    expect(builds).to.equal(2);
    expect(await readdir(folder)).to.have.members([...FILES, ".inputs.sha256"]);
  });

  it("has the assets of the last build too, which a running service still names, and not of those before", async () => {
    const buildSite = (assets: readonly string[]) =>
      buildSiteFolder(folder, assets.join(), async (outDir) => {
        await mkdir(join(outDir, "public/assets"), { recursive: true });
        for (const name of assets) await writeFile(join(outDir, "public/assets", name), name);
      });
    const sites = [];
    for (const assets of [["both.js", "1.js"], ["both.js", "2.js"], ["3.js"]]) {
      await buildSite(assets);
      sites.push((await readdir(join(folder, "public/assets"))).sort());
    }
    expect(sites).to.deep.equal([
      ["1.js", "both.js"],
      ["1.js", "2.js", "both.js"],
      ["2.js", "3.js", "both.js"],
    ]);
  });

  it("keeps the last build when the next one fails", async () => {
    await buildFolderOnce(folder, "one", build);
    const failed = buildFolderOnce(folder, "two", async () => {
      throw new Error("a source has an error");
    });
    expect(await failed.catch((error: Error) => error.message)).to.equal("a source has an error");
    expect(await readAll()).to.deep.equal(FILES);
  });

  it("is built elsewhere by a user who may not write to it", async () => {
    // Not even root may write there.
    const denied = "/sys/arcade-build";
    const buildIn = (place: string) => buildFolderOnce(place, "inputs", build, dirname(place));
    for (const expectedBuilds of [1, 1]) {
      expect(await buildWhereAllowed([denied, folder], buildIn)).to.equal(folder);
      expect(await readAll()).to.deep.equal(FILES);
      expect(builds).to.equal(expectedBuilds);
    }
    expect(await buildWhereAllowed([folder, denied], buildIn)).to.equal(folder);
    const failing = buildWhereAllowed([folder, denied], async () => {
      throw new Error("a failed build");
    });
    expect(await failing.catch(String)).to.equal("Error: a failed build");
  });
});
