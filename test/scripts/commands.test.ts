import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import type { Command, CommandGroup } from "../../scripts/cli/command.ts";
import { root } from "../../scripts/start/build.ts";
import { callCommand } from "../helpers/commands.ts";

const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly scripts: { readonly [name: string]: string };
};

/** The npm scripts that run a command, with the command's file. */
const files = new Map(
  Object.values(scripts).flatMap((line) => {
    const name = /^node scripts\/run\.mjs (\S+)/.exec(line)?.[1];
    if (name === undefined) return [];
    if (name === "lab") return [[name, join(root, "lab/help.ts")] as const];
    return [[name, join(root, name.includes("/") ? "" : "scripts", `${name}.ts`)] as const];
  }),
);

async function loadCommand(path: string): Promise<Command | CommandGroup> {
  const { command } = (await import(pathToFileURL(path).href)) as { readonly command?: Command | CommandGroup };
  if (command === undefined) throw new Error(`${path} does not export a command`);
  return command;
}

describe("every command of package.json", () => {
  it("has a file", () => {
    expect(files.size).to.be.greaterThan(15);
    for (const path of files.values()) expect(existsSync(path), path).to.equal(true);
  });

  for (const [name, path] of files) {
    it(`shows a help with an example for ${name} --help`, async () => {
      const { code, out, err } = await callCommand(await loadCommand(path), ["--help"]);
      expect(code, err).to.equal(0);
      expect(out).to.match(/^Usage: npm (run )?[a-z:-]+ --/);
      expect(out).to.match(/Examples?:\n {2}.*npm /);
      expect(out).to.include("--json").and.include("Exit codes: 0 ok, 1 fault, 2 usage, 3 chain, 4 auth.");
    });

    it(`rejects an unknown flag of ${name} with exit code 2 and a hint`, async () => {
      const command = await loadCommand(path);
      const { code, out, json, err } = await callCommand(command, ["--no-such-flag", "--json"]);
      expect(code).to.equal(2);
      expect(err).to.include("--no-such-flag").and.include("--help");
      if ("isServer" in command) expect(out).to.equal("");
      else expect(json).to.include({ ok: false, code: "USAGE", exitCode: 2 });
    });

    it(`reports the npm script in the help of ${name}`, async () => {
      expect(Object.keys(scripts)).to.include((await loadCommand(path)).name);
    });
  }

  it("rejects a command that the lab does not have", () => {
    for (const wrong of ["simulte", "--no-such-flag"]) {
      const { status, stderr } = spawnSync(process.execPath, ["scripts/run.mjs", "lab", wrong], { cwd: root });
      expect(status).to.equal(2);
      expect(String(stderr)).to.include(wrong);
    }
  });

  it("shows the help of each subcommand, and all examples in that of the group", async () => {
    for (const name of ["admin", "chain"]) {
      const command = (await loadCommand(files.get(name)!)) as CommandGroup;
      expect(command.commands).to.not.be.empty;
      const { out: help } = await callCommand(command, ["--help"]);
      const shown = help.slice(help.indexOf("Examples:")).match(/^ {2}(.*npm .*)$/gm);
      expect(shown).to.deep.equal(command.commands.flatMap(({ examples }) => examples.map((text) => `  ${text}`)));
      for (const { name: path, examples } of command.commands) {
        const { code, out } = await callCommand(command, [...path.split(" "), "--help"]);
        expect(code, path).to.equal(0);
        expect(out, path).to.include(`npm run ${name} -- ${path}`).and.include(examples[0]!);
      }
    }
  });
});
