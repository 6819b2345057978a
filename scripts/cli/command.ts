/** What every command shares: flags, --help, --json, words and exit codes. */
import { type ParseArgsConfig, parseArgs } from "node:util";
import { EXIT, exitCodeOf, failureOf, nextOf, UsageError, wordsOf } from "./failures.ts";
import { makeStyle, padEnd, type Style } from "./style.ts";

export interface Flag {
  readonly type: "string" | "boolean";
  /** Named in the help, for a string: `--url URL`. */
  readonly value?: string;
  readonly help: string;
  readonly default?: string;
}

export interface Command<Flags extends { readonly [name: string]: Flag }> {
  readonly name: string;
  readonly summary: string;
  /** Names of positional arguments, for the usage line. */
  readonly positionals?: string;
  readonly flags: Flags;
  readonly examples: readonly string[];
  run(given: Given<Flags>, terminal: Terminal): Promise<number>;
}

export interface Given<Flags> {
  readonly flags: {
    readonly [Name in keyof Flags]?: Flags[Name] extends { readonly type: "boolean" } ? boolean : string;
  };
  readonly positionals: readonly string[];
}

/** Where a command writes. With --json, stdout holds JSON alone and every word goes to stderr. */
export interface Terminal {
  readonly json: boolean;
  readonly style: Style;
  /** Whether words are read by a person on a terminal, so that a line may be redrawn. */
  readonly live: boolean;
  readonly columns: number;
  readonly rows: number;
  say(line: string): void;
  /** Text without a line end, for a line that is redrawn. */
  draw(text: string): void;
  /** One line of JSON on stdout; nothing without --json. */
  answer(value: unknown): void;
}

const COMMON = {
  json: { type: "boolean", help: "machine output: JSON on stdout, words on stderr" },
  help: { type: "boolean", help: "this text" },
} as const satisfies { [name: string]: Flag };

function helpOf<Flags extends { readonly [name: string]: Flag }>(command: Command<Flags>, style: Style): string {
  const all: { readonly [name: string]: Flag } = { ...command.flags, ...COMMON };
  const left = (name: string, flag: Flag): string =>
    `--${name}${flag.type === "string" ? ` ${flag.value ?? "VALUE"}` : ""}`;
  const width = Math.max(...Object.entries(all).map(([name, flag]) => left(name, flag).length)) + 2;
  return [
    `${style.bold(`npm run ${command.name}`)}: ${command.summary}`,
    "",
    `Usage: npm run ${command.name} --${command.positionals === undefined ? "" : ` ${command.positionals}`} [flags]`,
    "",
    ...Object.entries(all).map(([name, flag]) => {
      const more = flag.default === undefined ? "" : style.dim(` (default ${flag.default})`);
      return `  ${padEnd(style.accent(left(name, flag)), width)}${flag.help}${more}`;
    }),
    "",
    command.examples.length > 1 ? "Examples:" : "Example:",
    ...command.examples.map((example) => `  ${example}`),
    "",
    style.dim("Exit codes: 0 ok, 1 fault, 2 usage, 3 chain, 4 auth."),
  ].join("\n");
}

function parse<Flags extends { readonly [name: string]: Flag }>(command: Command<Flags>, argv: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries({ ...command.flags, ...COMMON }).map(([name, flag]) => [name, { type: flag.type }]),
  ) as NonNullable<ParseArgsConfig["options"]>;
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options,
      allowPositionals: command.positionals !== undefined,
      strict: true,
    });
    return { values: values as { readonly [name: string]: string | boolean | undefined }, positionals };
  } catch (fault) {
    throw new UsageError((fault as Error).message.split("\n")[0]!);
  }
}

function makeTerminal(json: boolean): Terminal {
  const stream = json ? process.stderr : process.stdout;
  return {
    json,
    style: makeStyle(stream.isTTY === true),
    live: stream.isTTY === true && process.env.TERM !== "dumb" && process.env.CI === undefined,
    columns: stream.columns ?? 100,
    rows: stream.rows ?? 24,
    say: (line) => void stream.write(`${line}\n`),
    draw: (text) => void stream.write(text),
    answer: (value) => {
      if (json) process.stdout.write(`${JSON.stringify(value)}\n`);
    },
  };
}

/** Runs a command with the given arguments and answers its exit code; failures are told, never thrown. */
export async function runCommand<const Flags extends { readonly [name: string]: Flag }>(
  command: Command<Flags>,
  argv: readonly string[] = process.argv.slice(2),
): Promise<number> {
  const terminal = makeTerminal(argv.includes("--json"));
  const errorStyle = makeStyle(process.stderr.isTTY === true);
  try {
    const { values, positionals } = parse(command, argv);
    if (values.help === true) {
      process.stdout.write(`${helpOf(command, makeStyle(process.stdout.isTTY === true))}\n`);
      return EXIT.ok;
    }
    return await command.run({ flags: values as Given<Flags>["flags"], positionals }, terminal);
  } catch (thrown) {
    const next = thrown instanceof UsageError ? `npm run ${command.name} -- --help` : nextOf(thrown);
    process.stderr.write(`${errorStyle.bad("✗")} ${wordsOf(thrown)}\n`);
    if (next !== null) process.stderr.write(`  ${errorStyle.dim("next:")} ${next}\n`);
    if (process.env.ARCADE_DEBUG !== undefined && thrown instanceof Error) process.stderr.write(`${thrown.stack}\n`);
    terminal.answer({ ok: false, ...failureOf(thrown) });
    return exitCodeOf(thrown);
  }
}

/** Parses a flag that counts something. Throws `UsageError`. */
export function countOf(name: string, text: string | undefined, fallback: number, max: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= 1 && value <= max) return value;
  throw new UsageError(`--${name}: expected a number from 1 to ${max}, received "${text}"`);
}

/** Parses a flag that is an http(s) address. Throws `UsageError`. */
export function urlOf(name: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, "");
  throw new UsageError(`--${name}: expected an http(s) address, received "${text}"`);
}
