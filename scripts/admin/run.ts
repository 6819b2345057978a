/** Which subcommand is meant, and its run. */

import { runCommand } from "../cli/command.ts";
import { UsageError } from "../cli/failures.ts";
import { CYCLE_COMMANDS } from "./cycles.ts";
import { KEY_COMMANDS } from "./keys.ts";
import { LISTING_COMMANDS } from "./listings.ts";
import { RECORD_COMMANDS } from "./records.ts";
import { SESSION_COMMANDS } from "./sessions.ts";
import type { Subcommand } from "./subcommand.ts";
import { VOTING_COMMANDS } from "./voting.ts";

const SUBCOMMANDS: readonly Subcommand[] = [
  ...VOTING_COMMANDS,
  ...CYCLE_COMMANDS,
  ...SESSION_COMMANDS,
  ...LISTING_COMMANDS,
  ...KEY_COMMANDS,
  ...RECORD_COMMANDS,
];

/** Runs one `npm run admin -- …` and answers its exit code. */
export async function runAdmin(argv: readonly string[]): Promise<number> {
  const path = argv.slice(0, 2).join(" ");
  const found = SUBCOMMANDS.find((subcommand) => subcommand.path === path);

  return found === undefined
    ? await runCommand(
        {
          name: "admin",
          summary: "what the operator does by hand; every change is written to the audit",
          positionals: "AREA VERB [...]",
          flags: {},
          examples: SUBCOMMANDS.map(({ example }) => `npm run admin -- ${example}`),
          run: async ({ positionals }) => {
            const known = SUBCOMMANDS.map((subcommand) => subcommand.path).join(", ");
            throw new UsageError(`Expected one of: ${known}; received "${positionals.slice(0, 2).join(" ")}"`);
          },
        },
        argv,
      )
    : await runCommand(
        {
          name: "admin",
          summary: found.summary,
          positionals: found.positionals === undefined ? found.path : `${found.path} ${found.positionals}`,
          flags: found.flags,
          examples: [`npm run admin -- ${found.example}`],
          run: (given, terminal) => found.run(given, terminal),
        },
        argv.slice(2),
      );
}
