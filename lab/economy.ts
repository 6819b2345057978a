/** `npm run lab -- economy`: writes docs/economy.md from the games, the parameters of public networks and the contracts' gas. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { games } from "../games/index.ts";
import { defineCommand } from "../scripts/cli/command.ts";
import { EXIT } from "../scripts/cli/failures.ts";
import { listGamesWithRows } from "../scripts/dev/docs/document-block.ts";
import { root } from "../scripts/start/build.ts";
import { renderEconomyDocument } from "./economy/document.ts";

const PATH = "docs/economy.md";

export const command = defineCommand({
  name: "lab economy",
  summary: `measures what bots earn and writes ${PATH}`,
  flags: {
    check: {
      type: "boolean",
      help: `write nothing; exit code 1 if ${PATH} is not current for its games`,
    },
  },
  examples: ["npm run lab -- economy", "npm run lab -- economy --check"],
  async run({ flags }, terminal) {
    const path = join(root, PATH);
    if (flags.check === true) {
      const text = readFileSync(path, "utf8");
      const ok = renderEconomyDocument(listGamesWithRows(text, games)) === text;
      if (!ok) process.stderr.write(`${PATH} is not current: run npm run lab -- economy\n`);
      terminal.printJson({ ok });
      return ok ? EXIT.ok : EXIT.error;
    }
    writeFileSync(path, renderEconomyDocument(games));
    terminal.print(`wrote ${PATH}`);
    terminal.printJson({ ok: true, written: PATH });
    return EXIT.ok;
  },
});
