/** Moves the store to PostgreSQL, or to another deployment. */
import { moveStore, readStoreContents, StoreBackupError } from "../../backend/app/connect.ts";
import { copyStore, StoreCopyError } from "../../backend/app/copy-store.ts";
import type { Deployment } from "../../backend/ports/chain.ts";
import { defineCommand } from "../cli/command.ts";
import { confirmSending } from "../cli/confirm.ts";
import { CommandError, UsageError } from "../cli/failures.ts";
import { readServiceConfig } from "../cli/service-config.ts";
import { AS_FLAG, createAuditStamp, readServiceDeployment } from "./context.ts";

const copy = defineCommand({
  name: "store copy",
  summary: "copies the SQLite store of a stopped service to an empty PostgreSQL database, and compares both",
  flags: { to: { type: "string", value: "URL", help: "postgres://USER@HOST/DATABASE" } },
  examples: ["npm run admin -- store copy --to postgres://arcade@10.0.0.5/arcade"],
  notes: [
    "Afterwards start the service with ARCADE_DATABASE_URL set to the same URL; the file stays as it is.",
    "The password may come from PGPASSWORD or a password file instead of the URL.",
  ],
  async run({ flags: { to } }, terminal) {
    if (to === undefined) throw new UsageError("--to: expected postgres://USER@HOST/DATABASE");
    try {
      const tables = await copyStore(readServiceConfig().databaseUrl, to);
      const rows = tables.reduce((sum, table) => sum + table.rows, 0);
      for (const table of tables) terminal.print(`${table.table}: ${table.rows} rows, ${table.digest.slice(0, 16)}`);
      terminal.print(`Copied ${rows} rows of ${tables.length} tables; number and digest of each table are the same.`);
      return { rows, tables };
    } catch (cause) {
      if (cause instanceof StoreCopyError) throw new CommandError(cause.message, { cause });
      throw cause;
    }
  },
});

const move = defineCommand({
  name: "store move",
  summary: "starts a new store for the deployment of ARCADE_DEPLOYMENT and keeps the old one; stop the service first",
  flags: {
    plan: { type: "boolean", help: "only show what is archived and what agents must do" },
    yes: { type: "boolean", help: "do not ask for confirmation" },
    ...AS_FLAG,
  },
  examples: ["ARCADE_DEPLOYMENT=deploy/next/84532.json npm run admin -- store move --plan"],
  notes: ["`docs/contracts.md`, A new deployment replaces the old one, has the steps before and after."],
  async run({ flags }, terminal) {
    const config = readServiceConfig();
    const deployment = await readServiceDeployment(config);
    const contents = await readStoreContents(config);
    if (contents === null) throw new CommandError("No store to move: the service creates one when it starts.");
    const { openPayouts, openSessions, scoresOnChain, payouts } = contents;
    const toName = ({ chainId, rewards }: Pick<Deployment, "chainId" | "rewards">) =>
      `chain ${chainId}, rewards ${rewards}`;
    const lines = [
      `From: ${contents.deployment === null ? "a store without a deployment" : toName(contents.deployment)}`,
      `To:   ${toName(deployment)}`,
      `Archived: ${scoresOnChain} scores on chain, ${payouts} payouts; profiles, votes and newsletter addresses`,
      ...(openPayouts > 0 ? [`No longer paid by the service: ${openPayouts} open payouts`] : []),
      ...(openSessions > 0 ? [`Lost: the scores of ${openSessions} open sessions`] : []),
      "Agents sign in and register again. Identities, NFTs and scorebanks stay with the old contracts: what is left in a",
      "scorebank can be paid by `payout` there until the float is withdrawn. Scores that are not on chain are lost.",
    ];
    for (const line of lines) terminal.print(`  ${line}`);
    if (flags.plan) return { status: "planned", ...contents, archive: null };
    await confirmSending(flags.yes === true, deployment.chainId);
    const stamp = createAuditStamp(flags);
    const archive = await moveStore(config.databaseUrl, { deployment, stamp }).catch((cause: unknown) => {
      throw cause instanceof StoreBackupError ? new CommandError(cause.message, { cause }) : cause;
    });
    terminal.print(`The store is empty now; the old one is kept in ${archive}`);
    return { status: "moved", ...contents, archive };
  },
});

export const STORE_COMMANDS = [copy, move];
