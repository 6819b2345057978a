/** The common form of all commands: flags, `--help`, `--json`, messages and exit codes. */
import { CommanderError, Option, Command as Program } from "commander";
import { getEnvironment } from "../../backend/config/environment.ts";
import { parseServiceUrl } from "../../client/service-url.ts";
import { EXIT, getExitCode, getNextStep, toFailure, toMessage, UsageError } from "./failures.ts";
import { hideNodeKeys, listNodeUrls } from "./node-keys.ts";
import { createStyle } from "./style.ts";
import { createTerminal, type Terminal } from "./terminal.ts";

export interface Flag {
  readonly type: "string" | "boolean";
  /** Placeholder of a string's value in the help: `--url <URL>`. */
  readonly value?: string;
  readonly help: string;
  /** Shown in the help; the command applies it. */
  readonly default?: string;
}

export interface Argument {
  readonly help: string;
  /** Placeholder in the help; the argument's name in capitals by default. */
  readonly value?: string;
  /** How many values; exactly one by default. */
  readonly count?: "optional" | "any";
}

export type Flags = { readonly [name: string]: Flag };
export type Arguments = { readonly [name: string]: Argument };

export interface ParsedArguments<F extends Flags = Flags, A extends Arguments = Arguments> {
  readonly flags: { readonly [Name in keyof F]?: F[Name] extends { readonly type: "boolean" } ? boolean : string };
  readonly args: {
    readonly [Name in keyof A]: A[Name] extends { readonly count: "any" }
      ? readonly string[]
      : A[Name] extends { readonly count: "optional" }
        ? string | undefined
        : string;
  };
}

export interface Command<F extends Flags = Flags, A extends Arguments = Arguments> {
  /** The npm script's name; for a subcommand its words, such as `voting open`. */
  readonly name: string;
  readonly summary: string;
  /** Positional arguments, in order. */
  readonly args?: A;
  readonly flags?: F;
  /** Whole command lines. */
  readonly examples: readonly string[];
  /** Lines at the end of the help. */
  readonly notes?: readonly string[];
  /** True for a server: its first line on stdout means that it is ready, so failures are reported only on stderr. */
  readonly isServer?: true;
  /** True if abandoned requests may still be open: the process exits with its result without waiting for them. */
  readonly leavesRequests?: true;
  /** Returns what `--json` prints in addition to `ok: true`, or an exit code; failures are thrown. */
  run(input: ParsedArguments<F, A>, terminal: Terminal): Promise<number | object>;
}

/** A command with subcommands only; its flags belong to each of them. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly flags?: Flags;
  readonly commands: readonly Command[];
  readonly notes?: readonly string[];
}

/** Types the flags and arguments that `run` receives. */
export const defineCommand = <const F extends Flags = Flags, const A extends Arguments = Arguments>(
  command: Command<F, A>,
): Command => command as unknown as Command;

const JSON_FLAG = { json: { type: "boolean", help: "JSON on stdout, text on stderr" } } as const;
const EXIT_CODES = "Exit codes: 0 ok, 1 fault, 2 usage, 3 chain, 4 auth.";
const HELP_COLUMNS_MAX = 120;

/** The command line before the flags: npm accepts `start` and `test` without `run`. */
function toInvocation(name: string): string {
  if (name === "start" || name === "test") return `npm ${name} --`;
  return name.startsWith("lab ") ? `npm run lab -- ${name.slice("lab ".length)}` : `npm run ${name} --`;
}

interface Selection {
  readonly command: Command;
  readonly input: ParsedArguments;
}

function toOption(name: string, { type, value, help, default: defaultText }: Flag): Option {
  const placeholder = type === "string" ? ` <${value ?? "VALUE"}>` : "";
  return new Option(`--${name}${placeholder}`, defaultText === undefined ? help : `${help} (default ${defaultText})`);
}

/** Commander's values under the flags' own names; here `--no-…` is a flag like any other. */
function readFlags(program: Program, flags: Flags): ParsedArguments["flags"] {
  const values = program.optsWithGlobals();
  const entries = Object.entries(flags).map(([name, flag]) => {
    const option = toOption(name, flag);
    const value = values[option.attributeName()] as string | boolean | undefined;
    return [name, option.negate ? value === false || undefined : value] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as ParsedArguments["flags"];
}

function addHelpEnd(program: Program, examples: readonly string[], notes: readonly string[] = []): void {
  const { bold, dim } = createStyle(process.stdout.isTTY === true);
  const title = bold(examples.length > 1 ? "Examples:" : "Example:");
  program.addHelpText(
    "after",
    ["", title, ...examples.map((example) => `  ${example}`), "", ...notes, dim(EXIT_CODES)].join("\n"),
  );
}

/** Declares one command on `program`; calls `onSelect` if the arguments select it. */
function declareCommand(program: Program, command: Command, more: Flags, onSelect: (selection: Selection) => void) {
  const flags: Flags = { ...command.flags, ...more, ...JSON_FLAG };
  const args = Object.entries(command.args ?? {});
  program.description(command.summary).allowExcessArguments(false);
  for (const [name, flag] of Object.entries(flags)) program.addOption(toOption(name, flag));
  for (const [name, { value = name.toUpperCase(), help, count }] of args) {
    const text = count === "any" ? `${value}...` : value;
    program.argument(count === undefined ? `<${text}>` : `[${text}]`, help);
  }
  program.action((...given: unknown[]) => {
    const input = {
      flags: readFlags(program, flags),
      args: Object.fromEntries(args.map(([name], index) => [name, given[index]])) as ParsedArguments["args"],
    };
    onSelect({ command, input });
  });
  addHelpEnd(program, command.examples, command.notes);
}

const listLeaves = (program: Program): readonly Program[] =>
  program.commands.flatMap((child) => (child.commands.length === 0 ? [child] : listLeaves(child)));

/** `voting open`: a subcommand's words below `root`. */
const getPath = (program: Program, root: Program): string =>
  program.parent === null || program.parent === root
    ? program.name()
    : `${getPath(program.parent, root)} ${program.name()}`;

function declareGroup(root: Program, group: CommandGroup, onSelect: (selection: Selection) => void): void {
  const flags: Flags = { ...group.flags, ...JSON_FLAG };
  root.description(group.summary);
  for (const [name, flag] of Object.entries(flags)) root.addOption(toOption(name, flag));
  for (const command of group.commands) {
    const words = command.name.split(" ");
    const program = words.reduce((parent, word) => {
      const known = parent.commands.find((child) => child.name() === word);
      return known ?? parent.command(word).helpCommand(false);
    }, root);
    declareCommand(program, command, group.flags ?? {}, onSelect);
  }
  // After the subcommands are declared, so that they do not inherit it.
  root.configureHelp({
    ...root.configureHelp(),
    visibleCommands: (program) => [...listLeaves(program)],
    subcommandTerm: (program) => getPath(program, root),
  });
  addHelpEnd(
    root,
    group.commands.flatMap(({ examples }) => examples),
    group.notes,
  );
}

function createProgram(command: Command | CommandGroup, onSelect: (selection: Selection) => void): Program {
  const style = createStyle(process.stdout.isTTY === true);
  const program = new Program(toInvocation(command.name))
    .exitOverride()
    .helpCommand(false)
    .helpOption("-h, --help", "this text")
    .configureOutput({
      getOutHasColors: () => style.isColored,
      getErrHasColors: () => createStyle(process.stderr.isTTY === true).isColored,
      getOutHelpWidth: () => Math.min(process.stdout.columns ?? HELP_COLUMNS_MAX, HELP_COLUMNS_MAX),
      // `runCommand` reports errors in one form.
      outputError: () => {},
    })
    .configureHelp({ styleTitle: style.bold, styleOptionTerm: style.accent, styleSubcommandTerm: style.accent });
  if ("commands" in command) declareGroup(program, command, onSelect);
  else declareCommand(program, command, {}, onSelect);
  return program;
}

/**
 * Finds the command that the arguments select; null if they ask for help, which is then printed. Throws `UsageError`.
 */
function select(command: Command | CommandGroup, argv: readonly string[]): Selection | null {
  let selection: Selection | null = null;
  try {
    createProgram(command, (found) => {
      selection = found;
    }).parse([...argv], { from: "user" });
    return selection;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === "commander.helpDisplayed") return null;
    if (error.code === "commander.help") throw new UsageError("A subcommand is missing.");
    throw new UsageError(error.message.replace(/^error: /, "").replaceAll("\n", " "));
  }
}

/** Runs a command with the given arguments and returns its exit code; reports failures, never throws. */
export async function runCommand(
  command: Command | CommandGroup,
  given: readonly string[] = process.argv.slice(2),
): Promise<number> {
  // Foundry's name for the same flag.
  const argv = given.map((word) => word.replace(/^--rpc-url(?==|$)/, "--rpc"));
  const nodeUrls = listNodeUrls(argv, getEnvironment());
  const hide = (text: string): string => hideNodeKeys(text, nodeUrls);
  const terminal = createTerminal(argv.includes("--json"), hide);
  const style = createStyle(process.stderr.isTTY === true);
  try {
    const selection = select(command, argv);
    if (selection === null) return EXIT.ok;
    const result = await selection.command.run(selection.input, terminal);
    if (typeof result === "number") return result;
    terminal.printJson({ ok: true, ...result });
    return EXIT.ok;
  } catch (error) {
    const next = error instanceof UsageError ? `${toInvocation(command.name)} --help` : getNextStep(error);
    process.stderr.write(`${style.bad("✗")} ${hide(toMessage(error))}\n`);
    if (next !== null) process.stderr.write(`  ${style.dim("next:")} ${hide(next)}\n`);
    if (getEnvironment().ARCADE_DEBUG !== undefined && error instanceof Error)
      process.stderr.write(`${hide(String(error.stack))}\n`);
    if (!("isServer" in command)) terminal.printJson({ ok: false, ...toFailure(error) });
    return getExitCode(error);
  }
}

/** Parses a flag with a count. Throws `UsageError`. */
export function parseCount(name: string, text: string | undefined, fallback: number, max: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= 1 && value <= max) return value;
  throw new UsageError(`--${name}: expected a number from 1 to ${max}, received "${text}"`);
}

/** Parses a flag with an http(s) URL. Throws `UsageError`. */
export function parseUrl(name: string, text: string): string {
  const url = URL.parse(text);
  // `fetch` rejects a user and a password, and its message repeats them.
  if (text.includes("@") && !(url?.username === "" && url.password === ""))
    throw new UsageError(`--${name}: expected an http(s) address without a user and a password`);
  if (url !== null && /^https?:$/.test(url.protocol)) return text.replace(/\/+$/, "");
  throw new UsageError(`--${name}: expected an http(s) address, received "${text}"`);
}

/** Parses the flag with the service's URL, and returns its origin. Throws `UsageError`. */
export function parseServiceFlag(text: string): string {
  try {
    return parseServiceUrl("--url", text);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
