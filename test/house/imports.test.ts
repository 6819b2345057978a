import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Which rooms a room may walk into; a room may always use itself. Inwards only. */
const DOORS: { readonly [room: string]: readonly string[] } = {
  "backend/domain": ["backend/games"],
  "backend/games": [],
  "backend/ports": ["backend/domain"],
  "backend/services": ["backend/ports", "backend/domain", "backend/games"],
  "backend/http": ["backend/services", "backend/ports", "backend/domain", "backend/games"],
  "backend/ws": ["backend/services", "backend/ports", "backend/domain", "backend/games"],
  "backend/runtime": ["backend/services", "backend/ports", "backend/domain", "backend/games"],
  "backend/adapters": ["backend/ports", "backend/domain", "backend/games"],
  "backend/config": ["backend/games"],
  client: ["backend/domain", "backend/games", "backend/ports"],
  web: ["backend/domain", "backend/games", "client"],
};

/** Packages that the pure rooms may use: no clock, no randomness, no input or output. */
const PURE_PACKAGES: { readonly [room: string]: readonly string[] } = {
  "backend/domain": ["zod", "viem", "canonicalize"],
  "backend/games": [],
};

const roomOf = (path: string): string | undefined => {
  if (path === "backend/ports.ts") return "backend/ports";
  return Object.keys(DOORS).find((room) => path.startsWith(`${room}/`));
};

interface Import {
  readonly from: string;
  readonly to: string;
}

const sources = globSync("{backend,client,web}/**/*.{ts,tsx}", { cwd: root })
  .filter((path) => !path.includes("node_modules") && !path.startsWith("web/dist"))
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

const importsOf = ({ path, text }: { path: string; text: string }): Import[] =>
  [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+"([^"]+)"|import\("([^"]+)"\)|(?:^|\n)import\s+"([^"]+)"/g,
    ),
  ].map((match) => ({
    from: path,
    to: match[1] ?? match[2] ?? match[3] ?? "",
  }));

/** What is wrong with an import, null where nothing is. */
function faultOf({ from, to }: Import): string | null {
  const room = roomOf(from);
  if (room === undefined) return null;
  if (!to.startsWith(".")) {
    const allowed = PURE_PACKAGES[room];
    if (allowed === undefined) return null;
    const name = to.startsWith("@") ? to.split("/").slice(0, 2).join("/") : to.split("/")[0]!;
    return allowed.includes(name) ? null : `${from} is pure and imports ${to}`;
  }
  const target = relative(root, resolve(root, dirname(from), to)).replaceAll("\\", "/");
  const other = roomOf(target);
  if (other === room) return null;
  if (other !== undefined && DOORS[room]!.includes(other)) return null;
  return `${from} walks into ${target}`;
}

describe("the house", () => {
  it("is walked inwards only", () => {
    const faults = sources
      .flatMap(importsOf)
      .map(faultOf)
      .filter((fault) => fault !== null);
    expect(faults).to.deep.equal([]);
  });

  it("has imports to look at in every room", () => {
    for (const room of Object.keys(DOORS)) {
      const found = sources.filter(({ path }) => roomOf(path) === room).flatMap(importsOf);
      expect(found, room).to.not.be.empty;
    }
  });

  it("keeps clock, randomness and waiting out of domain and games", () => {
    const faults = sources
      .filter(({ path }) => ["backend/domain", "backend/games"].includes(roomOf(path) ?? ""))
      .filter(({ text }) =>
        /\bDate\.now\(|\bnew Date\(\)|Math\.random|\bprocess\.|\bawait\s|setTimeout\(|performance\./.test(
          text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ""),
        ),
      )
      .map(({ path }) => path);
    expect(faults).to.deep.equal([]);
  });

  it("reads process.env in backend/config alone", () => {
    const faults = sources
      .filter(({ path, text }) => /process\.env/.test(text) && !path.startsWith("backend/config/"))
      .map(({ path }) => path);
    expect(faults).to.deep.equal([]);
  });
});

describe("the lock", () => {
  it("names no engines, so that npm under Node 20 installs every native package", () => {
    const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
      packages: Record<string, { engines?: unknown }>;
    };
    const marked = Object.entries(lock.packages)
      .filter(([name, entry]) => name !== "" && entry.engines !== undefined)
      .map(([name]) => name);
    expect(marked, "run npm run lock:cure").to.deep.equal([]);
  });

  it("has every platform package of the tools it brings, so that npm ci takes it on any machine", () => {
    const text = readFileSync(join(root, "package-lock.json"), "utf8");
    const { packages } = JSON.parse(text) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const { optionalDependencies = {} } = packages["node_modules/@foundry-rs/anvil"]!;
    expect(Object.keys(optionalDependencies)).to.not.be.empty;
    const missing = Object.keys(optionalDependencies).filter((name) => packages[`node_modules/${name}`] === undefined);
    expect(missing, "run npm run lock:cure").to.deep.equal([]);
  });

  it("brings a Hardhat whose native EDR loads", async () => {
    const edr = (await import("@nomicfoundation/edr")) as { EdrContext?: unknown };
    expect(edr.EdrContext).to.be.a("function");
  });
});
