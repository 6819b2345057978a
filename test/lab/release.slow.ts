import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { buildRelease } from "../../lab/release/build.ts";
import { listObstacles } from "../../lab/release/obstacles.ts";

const REPOSITORY = { type: "git", url: "git+https://github.com/someone/agent-arcade.git" };
const VERSION = "1.2.3";

/** Packs a folder whose index.js is `text`, evaluated during the build. */
const createPackScript = (text: string) => `
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
mkdirSync("pkg", { recursive: true });
writeFileSync("pkg/package.json", JSON.stringify({ name: "a", version: "${VERSION}", type: "module", exports: "./index.js", license: "MIT", files: ["index.js"] }));
writeFileSync("pkg/index.js", "export const built = " + JSON.stringify(${text}));
const out = process.argv[process.argv.indexOf("--out") + 1];
execFileSync("npm", ["pack", "--pack-destination", out], { cwd: "pkg" });
writeFileSync(out + "/wheel-${VERSION}-py3-none-any.whl", ${text});
`;

describe("a release", () => {
  let folder: string;
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: folder });

  function writeRepository(text: string, repository = REPOSITORY): void {
    const manifest = { name: "fixture", version: VERSION, repository };
    mkdirSync(join(folder, "repo"));
    folder = join(folder, "repo");
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({ ...manifest, scripts: { "pack:a": "node pack.mjs" } }),
    );
    const lock = { name: "fixture", version: VERSION, lockfileVersion: 3, requires: true, packages: { "": manifest } };
    writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
    writeFileSync(join(folder, "pack.mjs"), createPackScript(text));
    git("init", "--quiet");
    git("add", ".");
    git("commit", "--quiet", "-m", "first");
  }

  let top: string;
  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), "arcade-release-test-"));
    folder = top;
  });
  afterEach(() => rmSync(top, { recursive: true, force: true }));

  it("writes a package that two clones build identically, with its digest and an SBOM", async () => {
    writeRepository('"always the same"');
    const { packages, sbom, errors } = await buildRelease(folder, join(top, "out"));
    expect(errors).to.deep.equal([]);
    expect(packages.map(({ name, version }) => `${name}@${version}`)).to.deep.equal(["a@1.2.3", "wheel@1.2.3"]);
    expect(packages[0]!.integrity).to.match(/^sha512-/);
    expect(packages[0]!.bytes).to.equal(readFileSync(packages[0]!.file).length);
    expect(JSON.parse(readFileSync(sbom.file, "utf8"))).to.include({ bomFormat: "CycloneDX", specVersion: "1.5" });
  });

  for (const [cause, text] of [
    ["the path of the clone", "process.cwd()"],
    ["the time zone", "process.env.TZ"],
  ] as const)
    it(`reports the file that depends on ${cause}`, async () => {
      writeRepository(text);
      const { errors } = await buildRelease(folder, join(top, "out"));
      expect(errors).to.deep.equal([
        "a-1.2.3.tgz: two clones built different bytes: index.js",
        "wheel-1.2.3-py3-none-any.whl: two clones built different bytes: the file itself",
      ]);
    });

  it("is allowed only from the tagged, unchanged commit of a named repository", () => {
    writeRepository('""', { ...REPOSITORY, url: REPOSITORY.url.replace("someone", "OWNER") });
    writeFileSync(join(folder, "left-over"), "");
    const obstacles = listObstacles(folder);
    expect(obstacles).to.have.length(3);
    expect(obstacles.join("\n")).to.include("npm pkg set repository.url=").and.include("Commit").and.include("v1.2.3");
    writeFileSync(join(folder, "package.json"), JSON.stringify({ version: VERSION, repository: REPOSITORY }));
    git("add", ".");
    git("commit", "--quiet", "-m", "second");
    git("tag", `v${VERSION}`);
    expect(listObstacles(folder)).to.deep.equal([]);
  });
});
