import type { Flag, Given, Terminal } from "../cli/command.ts";

/** One `npm run admin -- AREA VERB …`. */
export interface Subcommand<Flags extends { readonly [name: string]: Flag } = { readonly [name: string]: Flag }> {
  /** `AREA VERB`. */
  readonly path: string;
  /** Positional arguments, for the usage line. */
  readonly positionals?: string;
  readonly summary: string;
  readonly flags: Flags;
  /** What stands after `npm run admin --`. */
  readonly example: string;
  run(given: Given<Flags>, terminal: Terminal): Promise<number>;
}

/** Gives `run` the types of its own flags. */
export const defineSubcommand = <const Flags extends { readonly [name: string]: Flag }>(
  subcommand: Subcommand<Flags>,
): Subcommand => subcommand as unknown as Subcommand;
