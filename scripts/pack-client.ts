/** `npm run pack:client`: the client as an npm package. */
import { resolve } from "node:path";
import { defineCommand } from "./cli/command.ts";
import { EXIT } from "./cli/failures.ts";
import { openOutputFolder } from "./cli/user-paths.ts";
import { measureBrowserBuild } from "./packages/browser-size.ts";
import { buildPackage } from "./packages/build.ts";
import { CLIENT_PACKAGE } from "./packages/client.ts";
import { packPackage } from "./packages/pack.ts";

const BROWSER_BYTES_MAX = 40_000;
const toKilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

export const command = defineCommand({
  name: "pack:client",
  summary: `builds ${CLIENT_PACKAGE.name} into dist/client and packs it as a tarball`,
  flags: { out: { type: "string", value: "FOLDER", help: "folder of the tarball", default: "." } },
  examples: ["npm run pack:client -- --out /tmp"],
  async run({ flags }, terminal) {
    const folder = openOutputFolder("out", flags.out ?? ".");
    await buildPackage(CLIENT_PACKAGE);
    const packed = await packPackage(CLIENT_PACKAGE, folder);
    const browser = await measureBrowserBuild();
    const file = resolve(folder, packed.filename);
    terminal.print(`${file}: ${toKilobytes(packed.size)}, ${packed.entryCount} files`);
    terminal.print(
      `In a browser, without the chain parts: ${toKilobytes(browser.minifiedBytes)} minified, ${toKilobytes(browser.gzipBytes)} compressed (at most ${toKilobytes(BROWSER_BYTES_MAX)})`,
    );
    const isSmall = browser.gzipBytes <= BROWSER_BYTES_MAX;
    if (!isSmall) terminal.print("The browser build is too large.");
    terminal.printJson({ ok: isSmall, file, ...packed, browser });
    return isSmall ? EXIT.ok : EXIT.error;
  },
});
