/**
 * `npm run build`: builds what an installation needs in addition to its packages, so that `npm run serve` writes
 * nothing.
 */
import { defineCommand } from "./cli/command.ts";
import { buildSite, webDir } from "./start/build.ts";

export const command = defineCommand({
  name: "build",
  summary: "builds the site, which npm run serve needs in production; other commands build it automatically",
  examples: ["npm ci --omit=dev && npm run build"],
  async run(_, terminal) {
    const isNew = await buildSite();
    terminal.print(`${webDir}: ${isNew ? "built" : "is current"}`);
    return { folder: webDir, built: isNew };
  },
});
