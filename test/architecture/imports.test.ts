import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The layers that each layer may import; a layer may always import itself. */
const ALLOWED_IMPORTS: { readonly [layer: string]: readonly string[] } = {
  games: [],
  domain: ["games"],
  "backend/ports": ["domain"],
  "backend/services": ["backend/ports", "domain", "games"],
  "backend/requests": ["domain"],
  "backend/rate-limits": ["backend/adapters", "backend/requests", "backend/ports", "domain"],
  "backend/http": [
    "backend/rate-limits",
    "backend/requests",
    "backend/services",
    "backend/live",
    "backend/ports",
    "domain",
    "games",
  ],
  "backend/ws": ["backend/rate-limits", "backend/services", "backend/live", "backend/ports", "domain", "games"],
  "backend/live": ["backend/ports", "domain", "games"],
  "backend/adapters": ["backend/ports", "domain", "games"],
  "backend/config": ["domain", "games"],
  mcp: ["backend/adapters", "backend/config", "backend/http", "backend/rate-limits", "client", "domain", "games"],
  client: ["domain", "games", "backend/ports"],
  web: ["domain", "games", "client"],
  "backend/app": ["backend", "domain", "games"],
  deploy: ["backend", "domain", "games"],
  "local-chain": ["backend", "deploy", "domain", "games"],
  testing: ["backend", "client", "deploy", "domain", "games", "local-chain"],
  scripts: ["backend", "client", "deploy", "domain", "games", "local-chain", "mcp", "testing", "web"],
};

/** Packages that the pure layers may import: no clock, no randomness, no input or output. */
const PURE_PACKAGES: { readonly [layer: string]: readonly string[] } = {
  domain: ["zod", "viem", "canonicalize", "quickjs-emscripten-core", "@jitl/quickjs-wasmfile-release-sync"],
  games: [],
};

interface Source {
  readonly path: string;
  readonly text: string;
}

interface Import {
  readonly from: string;
  /** The specifier as written: a package, or a path relative to `from`. */
  readonly to: string;
  readonly isTypeOnly: boolean;
}

const getLayer = (path: string): string | undefined =>
  Object.keys(ALLOWED_IMPORTS).find((layer) => path.startsWith(`${layer}/`));

const readSources = (pattern: string): readonly Source[] =>
  globSync(pattern, { cwd: root })
    .filter((path) => !path.includes("node_modules") && !path.startsWith("web/dist"))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

const parseImports = ({ path, text }: Source): Import[] =>
  [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+"([^"]+)"|import\("([^"]+)"\)|(?:^|\n)import\s+"([^"]+)"/g,
    ),
  ].map((match) => ({
    from: path,
    to: match[1] ?? match[2] ?? match[3] ?? "",
    isTypeOnly: /^\s*(?:import|export) type\s/.test(match[0]),
  }));

const resolveImport = ({ from, to }: Import): string => posix.join(posix.dirname(from), to);

/** Why an import breaks the rule; null if it does not. */
function findViolation(found: Import): string | null {
  const { from, to } = found;
  const layer = getLayer(from);
  if (layer === undefined) return null;
  if (!to.startsWith(".")) {
    const allowed = PURE_PACKAGES[layer];
    if (allowed === undefined) return null;
    const name = to.startsWith("@") ? to.split("/").slice(0, 2).join("/") : to.split("/")[0]!;
    return allowed.includes(name) ? null : `${from} is pure and imports ${to}`;
  }
  const target = resolveImport(found);
  // A guide is bundled as text.
  if (target === "hardhat.config.ts" || target === "test/helpers/postgres-programs.ts") return null;
  if (layer === "web" && /^docs\/[\w-]+\.md$/.test(target)) return null;
  const isIn = (folder: string): boolean => target.startsWith(`${folder}/`);
  if (isIn(layer) || ALLOWED_IMPORTS[layer]!.some(isIn)) return null;
  // The client takes the types of the routes, never a value.
  if (layer === "client" && isIn("backend/http") && found.isTypeOnly) return null;
  return `${from} imports ${target}`;
}

/** The import cycles of a set of files, each as the path from a file back to itself. Type imports count. */
function findCircles(files: readonly Source[]): string[] {
  const imports = new Map(
    files.map((file) => [
      file.path,
      parseImports(file)
        .filter(({ to }) => to.startsWith("."))
        .map(resolveImport),
    ]),
  );
  const finished = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) circles.push([...trail.slice(start), path].join(" -> "));
    if (start !== -1 || finished.has(path)) return;
    for (const next of imports.get(path) ?? []) visit(next, [...trail, path]);
    finished.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return circles;
}

const sources = readSources("{backend,client,deploy,domain,games,local-chain,mcp,scripts,testing,web}/**/*.{ts,tsx}");

describe("the imports", () => {
  it("only lead from a layer to the layers it may use", () => {
    const violations = sources
      .flatMap(parseImports)
      .map(findViolation)
      .filter((violation) => violation !== null);
    expect(violations).to.deep.equal([]);
  });

  it("never lead from live games and sockets to the chain", () => {
    const violations = sources
      .filter(({ path }) => /^backend\/(live|ws)\//.test(path))
      .flatMap(parseImports)
      .filter((found) => found.to.startsWith(".") && resolveImport(found).startsWith("backend/ports/chain"))
      .map(({ from, to }) => `${from} imports ${to}`);
    expect(violations).to.deep.equal([]);
  });

  it("are found in every layer", () => {
    for (const layer of Object.keys(ALLOWED_IMPORTS)) {
      const found = sources.filter(({ path }) => getLayer(path) === layer).flatMap(parseImports);
      expect(found, layer).to.not.be.empty;
    }
  });

  it("form no cycle, type imports included", () => {
    const files = readSources(
      "{backend,client,deploy,domain,games,lab,local-chain,mcp,scripts,testing,web}/**/*.{ts,tsx,mjs}",
    );
    expect(findCircles(files)).to.deep.equal([]);
  });

  it("are reported when a type import closes a cycle", () => {
    const circle = [
      { path: "a/one.ts", text: 'import type { Two } from "../b/two.ts";\n' },
      { path: "b/two.ts", text: 'import { three } from "./three.ts";\n' },
      { path: "b/three.ts", text: 'export type { One } from "../a/one.ts";\n' },
    ];
    expect(findCircles(circle)).to.deep.equal(["a/one.ts -> b/two.ts -> b/three.ts -> a/one.ts"]);
    expect(findCircles(circle.slice(0, 2))).to.deep.equal([]);
  });
});

describe("the layers", () => {
  it("keep clock, randomness and waiting out of domain and games", () => {
    const pure = sources.filter(({ path }) => ["domain", "games"].includes(getLayer(path) ?? ""));
    expect(pure).to.not.be.empty;
    const violations = pure
      .filter(({ text }) =>
        /\bDate\.now\(|\bnew Date\(\)|Math\.random|\bprocess\.|\bawait\s|setTimeout\(|performance\./.test(
          text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ""),
        ),
      )
      .map(({ path }) => path);
    expect(violations).to.deep.equal([]);
  });

  it("read process.env in backend/config only", () => {
    const readers = sources.filter(({ text }) => /process\.env/.test(text));
    const folders = readers.map(({ path }) => path.split("/").slice(0, 2).join("/"));
    expect([...new Set(folders)]).to.deep.equal(["backend/config"]);
  });
});

describe("the lockfile", () => {
  it("lists no engines, so that npm under Node 20 installs every native package", () => {
    const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
      packages: Record<string, { engines?: unknown }>;
    };
    const marked = Object.entries(lock.packages)
      .filter(([name, entry]) => name !== "" && entry.engines !== undefined)
      .map(([name]) => name);
    expect(marked, "run npm run fix:lockfile").to.deep.equal([]);
  });

  it("has every platform package of its tools, so that npm ci works on any machine", () => {
    const text = readFileSync(join(root, "package-lock.json"), "utf8");
    const { packages } = JSON.parse(text) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const { optionalDependencies = {} } = packages["node_modules/@foundry-rs/anvil"]!;
    expect(Object.keys(optionalDependencies)).to.not.be.empty;
    const missing = Object.keys(optionalDependencies).filter((name) => packages[`node_modules/${name}`] === undefined);
    expect(missing, "run npm run fix:lockfile").to.deep.equal([]);
  });

  it("brings a Hardhat whose native EDR loads", async () => {
    const edr = (await import("@nomicfoundation/edr")) as { EdrContext?: unknown };
    expect(edr.EdrContext).to.be.a("function");
  });
});
