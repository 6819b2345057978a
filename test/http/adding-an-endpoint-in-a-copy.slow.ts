import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import { copyRepository } from "../helpers/copy.ts";
import { useShared } from "../helpers/fixture.ts";

const GUIDE = readFileSync(new URL("../../docs/adding-an-endpoint.md", import.meta.url), "utf8");
const INDEX = "backend/http/routes/index.ts";
const NEW_FILE = "backend/http/routes/games/tiers.ts";

/** Compiles only against the client's types with both changes. */
const PROBE = `import { createClient } from "./client/index.ts";
const client = createClient({ baseUrl: "http://127.0.0.1:4100" });
const { tiers } = await client.games.tiers({ slug: "shellrunners", above: 100 });
export const minScore: number | undefined = tiers[0]?.minScore;
const { hasNft } = await client.games.get({ slug: "shellrunners" });
export const flag: boolean = hasNft;
`;

function edit(path: string, replacements: readonly (readonly [from: string, to: string])[]): void {
  let text = readFileSync(path, "utf8");
  for (const [from, to] of replacements) {
    expect(text, `${path} has no longer the line that the guide replaces`).to.include(from);
    text = text.replace(from, to);
  }
  writeFileSync(path, text);
}

function parseDiff(): { readonly path: string; readonly replacements: readonly (readonly [string, string])[] } {
  const [, path = "", diff = ""] = /```diff (\S+)\n([\s\S]*?)```/.exec(GUIDE)!;
  const replacements: [string, string][] = [];
  for (const line of diff.trimEnd().split("\n")) {
    if (line.startsWith("-")) replacements.push([line.slice(1), ""]);
    else replacements.at(-1)![1] += `${replacements.at(-1)![1] === "" ? "" : "\n"}${line.slice(1)}`;
  }
  return { path, replacements };
}

describe("the guide to adding an endpoint", () => {
  const copy = useShared(copyRepository);

  it("adds an endpoint with one file and one line, and a field in one file, with the client's types", async () => {
    writeFileSync(copy.path(NEW_FILE), /```ts\n([\s\S]*?)```/.exec(GUIDE)![1]!);
    edit(copy.path(INDEX), [
      [
        'import { gamesGet } from "./games/get.ts";',
        'import { gamesGet } from "./games/get.ts";\nimport { gamesTiers } from "./games/tiers.ts";',
      ],
      ["  gamesGet,\n", "  gamesGet,\n  gamesTiers,\n"],
    ]);
    const { path, replacements } = parseDiff();
    edit(copy.path(path), replacements);

    await copy.npm("docs");
    const isGenerated = (name: string) => /^docs\/\w+\.md$|\.generated\.ts$/.test(name);
    expect(copy.getChangedFiles().filter((name) => !isGenerated(name))).to.have.members([INDEX, path]);
    expect(copy.getChangedFiles().filter(isGenerated)).to.have.members([
      "client/routes.generated.ts",
      "docs/limits.md",
    ]);
    const openapi = JSON.parse(readFileSync(copy.path("dist/openapi.json"), "utf8"));
    expect(openapi.paths["/api/games/{slug}/tiers"].get.operationId).to.equal("games.tiers");
    expect(JSON.stringify(openapi.paths["/api/games/{slug}"].get)).to.include("hasNft");

    writeFileSync(copy.path("probe.ts"), PROBE);
    writeFileSync(
      copy.path("tsconfig.probe.json"),
      JSON.stringify({ extends: "./tsconfig.json", include: ["probe.ts"] }),
    );
    await copy.node("node_modules/typescript/bin/tsc", "--noEmit", "-p", "tsconfig.probe.json");
  });
});
