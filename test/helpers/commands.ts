/** Calls a command inside the test's process, which is much faster than a separate process. */
import { type Command, type CommandGroup, runCommand } from "../../scripts/cli/command.ts";
import { setEnvironment } from "./environment.ts";

export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The parsed stdout, if it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses freely
  readonly json: any;
}

export const toCommandResult = (code: number, out: string, err: string): CommandResult => ({
  code,
  out,
  err,
  json: out.startsWith("{") ? JSON.parse(out) : null,
});

/** Runs the command with arguments and settings, and collects its output. */
export async function callCommand(
  command: Command | CommandGroup,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<CommandResult> {
  const writes = { out: process.stdout.write, err: process.stderr.write };
  const texts = { out: "", err: "" };
  const collect = (stream: keyof typeof texts) =>
    ((text: string) => {
      texts[stream] += text;
      return true;
    }) as typeof process.stdout.write;
  const restoreEnvironment = setEnvironment({ NO_COLOR: "1", ...env });
  process.stdout.write = collect("out");
  process.stderr.write = collect("err");
  try {
    const code = await runCommand(command, args);
    return toCommandResult(code, texts.out, texts.err);
  } finally {
    process.stdout.write = writes.out;
    process.stderr.write = writes.err;
    restoreEnvironment();
  }
}
