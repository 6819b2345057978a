/** Backups of the store: make one, restore one. */
import { backUpStore, restoreStore, StoreBackupError, settleStore } from "../../backend/app/connect.ts";
import { ArcadeError } from "../../domain/errors.ts";
import { defineCommand } from "../cli/command.ts";
import { CommandError, EXIT } from "../cli/failures.ts";
import { RPC_FLAG } from "../cli/node.ts";
import { readServiceConfig } from "../cli/service-config.ts";
import type { Terminal } from "../cli/terminal.ts";
import { resolveUserPath } from "../cli/user-paths.ts";
import { AS_FLAG, createAuditStamp, findChain } from "./context.ts";

type Settled = Awaited<ReturnType<typeof settleStore>>;

const ARGS = { file: { value: "FILE", help: "the backup's file" } } as const;

/** Turns backup errors into command errors. */
async function withBackupErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof StoreBackupError) throw new CommandError(cause.message, { cause });
    if (!(cause instanceof ArcadeError && cause.code === "CHAIN_UNAVAILABLE")) throw cause;
    throw new CommandError(cause.message, { exitCode: EXIT.chain, next: "set the chain's node with --rpc", cause });
  }
}

const backup = defineCommand({
  name: "backup",
  args: ARGS,
  summary: "copies the store into a new file while the service runs, readable only by its owner",
  examples: ["npm run admin -- backup /backups/arcade-2026-11-22.db"],
  async run({ args }, terminal) {
    const file = resolveUserPath(args.file);
    const config = readServiceConfig();
    const bytes = await withBackupErrors(() => backUpStore(config, file));
    if (bytes === null)
      throw new CommandError(`There is no database at ${config.databaseUrl.replace(/^sqlite:/, "")}.`, {
        next: "set ARCADE_DATA_DIR or ARCADE_DATABASE_URL to the service's own",
      });
    terminal.print(
      `Backup: ${file} (${bytes} bytes, checked). It holds e-mail addresses: protect it like the database.`,
    );
    return { file, bytes };
  },
});

function printSettled(terminal: Terminal, { closedSessions, repeatedChanges, lostChanges }: Settled): void {
  terminal.print(`${closedSessions} sessions were open in the backup; they ended and their scores do not count`);
  if (repeatedChanges > 0) terminal.print(`${repeatedChanges} later decisions on scores and listings were repeated`);
  if (lostChanges.length > 0) terminal.print("Manual changes after the backup, now lost:");
  for (const { action, subject } of lostChanges) terminal.print(`  ${action} ${subject}`);
}

const restore = defineCommand({
  name: "restore",
  args: ARGS,
  summary: "replaces the store with a backup; the service must be stopped, and the chain must answer",
  flags: { ...RPC_FLAG, ...AS_FLAG },
  examples: ["npm run admin -- restore /backups/arcade-2026-11-22.db"],
  notes: [
    "Sessions that were open in the backup end, and their scores do not count: they may have been counted since.",
    "Stops while a signature from after the backup is still valid: up to ten minutes after the service stopped.",
  ],
  async run({ args, flags }, terminal) {
    const file = resolveUserPath(args.file);
    const config = readServiceConfig();
    const { deployment, rpcUrl } = await findChain(flags, config);
    const { databaseUrl } = config;
    const stamp = createAuditStamp(flags);
    const result = await withBackupErrors(() => restoreStore({ databaseUrl, file, rpcUrl, deployment, stamp }));
    const { block, replacedFile } = result;
    terminal.print(`Restored ${file}, with the chain's events up to block ${block}`);
    printSettled(terminal, result);
    terminal.print(
      replacedFile === null
        ? "Expected a database with the last signature, received none. Wait until ten minutes after the service stopped, then start it"
        : `The old database is kept in ${replacedFile}`,
    );
    return { file, ...result };
  },
});

const settle = defineCommand({
  name: "store settle",
  summary: "run after pg_restore, before the first backend starts: does what `restore` does for SQLite",
  flags: {
    replaced: {
      type: "string",
      value: "URL",
      help: "the old database; its decisions (withheld, forfeited, hidden, shown) are repeated",
    },
    ...RPC_FLAG,
    ...AS_FLAG,
  },
  examples: ["ARCADE_DATABASE_URL=postgres://arcade@10.0.0.5/restored npm run admin -- store settle"],
  notes: [
    "Reads the chain first, so that no session number is used twice.",
    "Sessions that were open in the backup end, and their scores do not count: they may have been counted since.",
    "The tables of --replaced are migrated too: its URL needs their owner, and no standby.",
  ],
  async run({ flags }, terminal) {
    const config = readServiceConfig();
    const { deployment, rpcUrl } = await findChain(flags, config);
    const { databaseUrl } = config;
    const replacedUrl = flags.replaced ?? null;
    const stamp = createAuditStamp(flags);
    const result = await withBackupErrors(() => settleStore({ databaseUrl, replacedUrl, rpcUrl, deployment, stamp }));
    terminal.print(`Settled, with the chain's events up to block ${result.block}`);
    printSettled(terminal, result);
    return { ...result };
  },
});

export const BACKUP_COMMANDS = [backup, restore, settle];
