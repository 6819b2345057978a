import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect } from "chai";
import { root } from "../../scripts/start/build.ts";

const IMPORT = /(?:^|\n)\s*(?:import|export)\s+(?!type\b)(?:[^;"']*?\sfrom\s+)?["']([^"']+)["']/g;
const DYNAMIC_IMPORT = /\bimport\(\s*["']([^"']+)["']\s*\)/g;
/** Development tools that take seconds to load. */
const FORBIDDEN = /^(hardhat|@nomicfoundation\/|vite|esbuild|ethers|mocha|chai|solc|typescript)/;

interface Graph {
  readonly files: ReadonlySet<string>;
  /** Packages, each with the first file that imports it. */
  readonly packages: ReadonlyMap<string, string>;
}

/** The packages that a module loads when it is imported. Dynamic imports load later, and are not followed. */
function walkImports(entry: string): Graph {
  const files = new Set<string>();
  const packages = new Map<string, string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    const source = readFileSync(file, "utf8").replace(DYNAMIC_IMPORT, "");
    for (const [, specifier] of source.matchAll(IMPORT)) {
      if (specifier!.startsWith(".")) visit(join(dirname(file), specifier!));
      else if (!specifier!.startsWith("node:") && !packages.has(specifier!))
        packages.set(specifier!, relative(root, file));
    }
  };
  visit(entry);
  return { files, packages };
}

describe("the start of serve", () => {
  const serve = walkImports(join(root, "scripts/serve.ts"));

  it("loads the backend", () => {
    expect(serve.files.has(join(root, "backend/app/app.ts"))).to.equal(true);
    expect([...serve.packages.keys()]).to.include.members(["viem", "kysely", "better-sqlite3"]);
    for (const file of serve.files) expect(existsSync(file), file).to.equal(true);
  });

  it("loads no development tool", () => {
    const found = [...serve.packages].filter(([specifier]) => FORBIDDEN.test(specifier));
    expect(found).to.deep.equal([]);
  });

  it("is a check that works: it finds Hardhat in npm start", () => {
    const start = walkImports(join(root, "scripts/start.ts"));
    expect([...start.packages.keys()].some((specifier) => FORBIDDEN.test(specifier))).to.equal(true);
  });

  it("keeps compiled modules", () => {
    expect(readFileSync(join(root, "scripts/run.mjs"), "utf8")).to.match(/nodeModule\.enableCompileCache\(/);
  });
});
