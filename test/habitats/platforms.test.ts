/** The lockfiles' packages for the systems that CONTRIBUTING.md lists. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../../scripts/start/build.ts";

interface Entry {
  readonly version?: string;
  readonly integrity?: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: object;
}

const read = (file: string) =>
  Object.entries<Entry>(JSON.parse(readFileSync(join(root, file), "utf8")).packages).slice(1);

const PLATFORMS = [
  ["linux", "x64"],
  ["linux", "arm64"],
  ["darwin", "x64"],
  ["darwin", "arm64"],
  ["win32", "x64"],
] as const;

/** Native packages, by a word in the names of their platform packages. Each installs one of them. */
const NATIVE = ["@esbuild/", "@nomicfoundation/edr-", "@foundry-rs/anvil-", "@biomejs/cli-", "@typescript/typescript-"];
/** Node's own packages, which exist in this version for Linux only. */
const NODE = "node_modules/node-";

const fits = ({ os, cpu, libc }: Entry, system: string, processor: string): boolean =>
  os?.includes(system) === true && cpu?.includes(processor) === true && libc?.includes("musl") !== true;

describe("the lockfiles", () => {
  for (const file of ["package-lock.json", "lab/package-lock.json"])
    it(`have the integrity of every package: ${file}`, () => {
      const without = read(file).flatMap(([name, { integrity }]) => (integrity?.startsWith("sha512-") ? [] : [name]));
      expect(without).to.deep.equal([]);
    });

  it("give the lab the product's version of every shared package", () => {
    const versions = new Map(read("package-lock.json").map(([path, { version }]) => [path, version]));
    const files = globSync("lab/{*,!(node_modules)/**/*}.ts", { cwd: root });
    const texts = files.map((file) => readFileSync(join(root, file), "utf8"));
    const others = read("lab/package-lock.json").flatMap(([path, { version }]) => {
      const name = path.replace("node_modules/", "");
      const isImported = texts.some((text) => text.includes(` from "${name}"`));
      return isImported && versions.has(path) && versions.get(path) !== version ? [`${name} ${version}`] : [];
    });
    // Its mutation runs need a compiler with an API.
    expect(others).to.deep.equal(["typescript 5.9.3"]);
  });

  for (const [system, processor] of PLATFORMS)
    it(`hold every native package for ${system} on ${processor}, and Node as in the table`, () => {
      const names = read("package-lock.json").flatMap(([name, entry]) =>
        fits(entry, system, processor) ? [name] : [],
      );
      for (const native of NATIVE)
        expect(
          names.some((name) => name.includes(native)),
          native,
        ).to.equal(true);
      expect(names.some((name) => name.startsWith(NODE))).to.equal(system === "linux");
      const text = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
      const title = { linux: "Linux, glibc", darwin: "macOS", win32: "Windows" }[system];
      const row = text.split("\n").find((line) => line.startsWith(`| ${title}`) && line.includes(processor));
      expect(row).to.include(system === "linux" ? "the lock brings 24" : "installed by hand");
    });
});
