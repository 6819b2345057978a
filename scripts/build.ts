/** `npm run build`: what an installation needs beside its packages, so that `npm run serve` writes nothing. */
import { defineCommand } from "./cli/command.ts";
import { buildSite, webDir } from "./start/build.ts";

export const command = defineCommand({
  name: "build",
  summary: "builds the site, which npm run serve needs in production; other commands build it by themselves",
  examples: ["npm ci --omit=dev && npm run build"],
  async run(_, terminal) {
    const isNew = await buildSite();
    terminal.print(`${webDir}: ${isNew ? "built" : "is current"}`);
    return { folder: webDir, built: isNew };
  },
});
