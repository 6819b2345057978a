/** Reading: the audit, pending payouts, and the newsletter's addresses. */

import { writeFileSync } from "node:fs";
import type { SubscriberRow } from "../../backend/ports/store/stats.ts";
import { listAudit, listOpenPayouts } from "../../backend/services/operations/actions/records.ts";
import { toIso } from "../../domain/time.ts";
import { defineCommand, parseCount } from "../cli/command.ts";
import { UsageError } from "../cli/failures.ts";
import { formatTable, shortenHex } from "../cli/style.ts";
import { openOutputFile } from "../cli/user-paths.ts";
import { AS_FLAG, createAuditStamp, withOperator, withStore } from "./context.ts";

const audit = defineCommand({
  name: "audit list",
  summary: "shows the changes made by hand, newest first",
  flags: {
    subject: { type: "string", value: "TEXT", help: "only changes of this subject: a slug, a session's id, cycle N" },
    limit: { type: "string", value: "N", help: "number of rows", default: "50" },
  },
  examples: ["npm run admin -- audit list --subject reef-rally"],
  async run({ flags }, terminal) {
    const limit = parseCount("limit", flags.limit, 50, 10_000);
    const result = await withOperator({}, (operator) => listAudit(operator, { subject: flags.subject, limit }));
    const cells = result.audit.map(({ at, who, action, subject, after }) => [
      ...[at, who, action, subject, after === null ? "" : JSON.stringify(after)],
    ]);
    terminal.print(formatTable(["at", "who", "action", "subject", "after"], cells, terminal.style));
    return result;
  },
});

const payouts = defineCommand({
  name: "payouts pending",
  summary: "shows payouts that are not in a block yet, with their transactions",
  examples: ["npm run admin -- payouts pending --json"],
  async run(_, terminal) {
    const open = await withOperator({}, listOpenPayouts);
    const rows = open.payouts.map(({ walletAddress, score, ...row }) => ({
      ...row,
      wallet: walletAddress,
      score: String(score),
    }));
    const cells = rows.map((row) => [
      ...[row.payoutId, shortenHex(row.wallet), row.status, row.amount, row.createdAt],
      ...[String(row.nonce ?? "–"), row.txHash ?? "–", row.lastError ?? "–"],
    ]);
    const headings = ["payout", "wallet", "status", "amount", "since", "nonce", "transaction", "node's last error"];
    terminal.print(rows.length === 0 ? "No payout is pending" : formatTable(headings, cells, terminal.style, [3]));
    return { payouts: rows };
  },
});

const forged = defineCommand({
  name: "forged",
  summary: "finds points on chain without a session of the service, such as those signed with a leaked score key",
  flags: {
    since: { type: "string", value: "BLOCK", help: "the first block to check: one before the leak" },
    out: { type: "string", value: "FILE", help: "where to write them, for `chain void @FILE`" },
  },
  examples: ["npm run admin -- forged --since 123456 --out forged.txt"],
  async run({ flags }, terminal) {
    if (flags.since === undefined) throw new UsageError("--since: expected a block's number");
    const since = parseCount("since", flags.since, 0, Number.MAX_SAFE_INTEGER);
    const out = flags.out === undefined ? undefined : openOutputFile("out", flags.out);
    const rows = await withStore((store) => store.chainAudit.listForged(since));
    const lines = rows.map(({ wallet, points }) => `${wallet}:${points}`);
    if (out !== undefined) writeFileSync(out, lines.map((line) => `${line}\n`).join(""));
    for (const line of lines) terminal.print(line);
    if (lines.length === 0) terminal.print(`Every snapshot from block ${since} on is of a session of the service.`);
    return { forged: rows.map(({ wallet, points }) => ({ wallet, points: String(points) })) };
  },
});

const PAGE_SIZE = 500;
/** Quotes a cell; spreadsheets read a cell that starts with one of these characters as a formula. */
const toCsvCell = (text: string): string => `"${(/^[=+\-@\t]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

const newsletter = defineCommand({
  name: "newsletter export",
  summary: "prints the subscribers as CSV (JSON with --json); the audit records the export",
  flags: { ...AS_FLAG },
  examples: ["npm run admin -- newsletter export > subscribers.csv"],
  async run({ flags }, terminal) {
    const rows: SubscriberRow[] = [];
    await withStore(async (store) => {
      for (let after: string | null = null; ; ) {
        const page: readonly SubscriberRow[] = await store.newsletter.list({ afterEmail: after, limit: PAGE_SIZE });
        rows.push(...page);
        if (page.length < PAGE_SIZE) break;
        after = page.at(-1)!.email;
      }
      await store.operator.addAuditRow({
        ...createAuditStamp(flags),
        action: "newsletter.export",
        subject: "newsletter",
        before: null,
        after: JSON.stringify({ addresses: rows.length }),
      });
    });
    const lines = rows.map(({ email, createdAtMs }) => `${toCsvCell(email)},${toCsvCell(toIso(createdAtMs))}`);
    if (!terminal.json) process.stdout.write(`${["email,subscribedAt", ...lines].join("\n")}\n`);
    return { subscribers: rows.map(({ email, createdAtMs }) => ({ email, subscribedAt: toIso(createdAtMs) })) };
  },
});

export const RECORD_COMMANDS = [forged, audit, payouts, newsletter];
