/** `npm run pack:python`: the package for Python as a wheel. */
import { defineCommand } from "./cli/command.ts";
import { quoteWord } from "./cli/endings.ts";
import { openOutputFolder } from "./cli/user-paths.ts";
import { writeWheel } from "./packages/python.ts";

export const command = defineCommand({
  name: "pack:python",
  summary: "builds the package for Python (client-python) as a wheel, with the games' rules in it",
  flags: { out: { type: "string", value: "FOLDER", help: "folder of the wheel", default: "." } },
  examples: ["npm run pack:python -- --out /tmp", "pip install ./client-python"],
  async run({ flags }, terminal) {
    const file = await writeWheel(openOutputFolder("out", flags.out ?? "."));
    terminal.print(`wrote ${file}\nnext: pip install ${quoteWord(file)}`);
    return { file };
  },
});
