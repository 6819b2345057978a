/** `npm run new-bot -- DIR`: writes a folder with a bot that plays at once. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../backend/adapters/node/data-folder.ts";
import { games } from "../games/index.ts";
import { AGENT_FLAGS } from "./agent/options.ts";
import { defineCommand, parseServiceFlag } from "./cli/command.ts";
import { quoteWord } from "./cli/endings.ts";
import { UsageError } from "./cli/failures.ts";
import { resolveUserPath } from "./cli/user-paths.ts";
import { renderStarter } from "./new-bot/files.ts";
import { buildPackage } from "./packages/build.ts";
import { CLIENT_PACKAGE } from "./packages/client.ts";
import { packPackage } from "./packages/pack.ts";
import { root } from "./start/build.ts";

const slugs = games.map(({ slug }) => slug);

/** An existing folder must be empty, so that no file is overwritten. Throws `UsageError`. */
function createFolder(folder: string): void {
  makeFolder(folder);
  const names = readdirSync(folder);
  if (names.length > 0) throw new UsageError(`DIR: expected a new or empty folder, but ${folder} has ${names[0]}`);
}

export const command = defineCommand({
  name: "new-bot",
  summary: "writes a starter: a bot, a program that plays it until it is paid, and the client",
  args: { folder: { value: "DIR", help: "a new or empty folder" } },
  flags: {
    game: { type: "string", value: slugs.join("|"), help: "the game that the starter plays", default: slugs[0]! },
    url: AGENT_FLAGS.url,
  },
  examples: ["npm run new-bot -- ../my-bot", "npm run new-bot -- ../my-bot --game flappybots"],
  async run({ flags, args }, terminal) {
    const slug = flags.game ?? slugs[0]!;
    if (!slugs.includes(slug)) throw new UsageError(`--game: expected ${slugs.join(" or ")}, received "${slug}"`);
    const url = parseServiceFlag(flags.url ?? AGENT_FLAGS.url.default);
    const folder = resolveUserPath(args.folder);
    createFolder(folder);
    terminal.print("packing the client …");
    await buildPackage(CLIENT_PACKAGE);
    const { filename } = await packPackage(CLIENT_PACKAGE, folder);
    const { dependencies: versions } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly dependencies: { readonly [name: string]: string };
    };
    const files = renderStarter({ slug, url, tarball: filename, versions });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    terminal.print(`wrote ${[...Object.keys(files), filename].join(", ")} to ${folder}`);
    terminal.print(
      `next: cd ${quoteWord(args.folder)} && npm install && npm start   (with \`npm start\` of this repository running)`,
    );
    return { folder, files: [...Object.keys(files), filename] };
  },
});
