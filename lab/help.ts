/** `npm run lab`: lists the commands of the lab. */
import { globSync } from "node:fs";
import { basename } from "node:path";
import { type Command, defineCommand } from "../scripts/cli/command.ts";
import { EXIT, UsageError } from "../scripts/cli/failures.ts";

export const command = defineCommand({
  name: "lab",
  summary: "lists the commands of the lab",
  args: { command: { help: "one of the listed commands", count: "optional" } },
  examples: ["npm run lab -- bench fan-out", "npm run lab -- simulate --seed 1"],
  notes: ["`npm run lab` lists the commands, `npm run lab -- NAME --help` shows the options of one."],
  async run({ args }, terminal) {
    if (args.command !== undefined)
      throw new UsageError(`expected a command of the lab, received "${args.command}"; npm run lab lists them`);
    const names = globSync("*.ts", { cwd: import.meta.dirname })
      .map((file) => basename(file, ".ts"))
      .sort();
    for (const name of names) {
      const module = (await import(`./${name}.ts`)) as { readonly command?: Command };
      if (module.command !== undefined && name !== "help")
        terminal.print(`${name.padEnd(20)} ${module.command.summary}`);
    }
    terminal.print("\nnpm run lab -- NAME --help shows the options of one.");
    return EXIT.ok;
  },
});
