import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The placeholder in `repository` of package.json until a fork or the upstream repository replaces it. */
const PLACEHOLDER = "github.com/OWNER/";

/** Reasons why this checkout cannot be published, each with what to do. */
export function listObstacles(root: string): string[] {
  const { version, repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly version: string;
    readonly repository: { readonly url: string };
  };
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const obstacles: string[] = [];
  if (repository.url.includes(PLACEHOLDER))
    obstacles.push(
      `package.json: expected the repository's address, received ${repository.url}. Run: ` +
        "npm pkg set repository.url=git+https://github.com/YOU/agent-arcade.git",
    );
  if (git("status", "--porcelain") !== "")
    obstacles.push("Expected a clean checkout, received changes. Commit them: a release is built from HEAD.");
  const tag = `v${version}`;
  const tags = git("tag", "--points-at", "HEAD").split("\n");
  if (!tags.includes(tag)) obstacles.push(`Expected the tag ${tag} at HEAD. Run: git tag -s ${tag}`);
  return obstacles;
}
