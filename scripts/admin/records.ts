/** Reading: the audit, open payouts, and the newsletter's addresses. */
import type { AuditRow, SubscriberRow } from "../../backend/ports.ts";
import { countOf } from "../cli/command.ts";
import { EXIT } from "../cli/failures.ts";
import { short, table } from "../cli/style.ts";
import { AS_FLAG, none, stampOf, withStore } from "./place.ts";
import { defineSubcommand } from "./subcommand.ts";

const iso = (ms: number): string => new Date(ms).toISOString();
const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

const auditView = ({ auditId, who, action, subject, atMs, before, after }: AuditRow) => ({
  auditId,
  at: iso(atMs),
  who,
  action,
  subject,
  before: parsed(before),
  after: parsed(after),
});

const audit = defineSubcommand({
  path: "audit list",
  summary: "shows the changes made by hand, newest first",
  flags: {
    subject: { type: "string", value: "TEXT", help: "only those about it: a slug, a session's id, cycle N" },
    limit: { type: "string", value: "N", help: "how many", default: "50" },
  },
  example: "audit list --subject reef-rally",
  async run({ flags, positionals }, terminal) {
    none(positionals);
    const limit = countOf("limit", flags.limit, 50, 10_000);
    const rows = await withStore(({ operator }) => operator.listAudit({ subject: flags.subject ?? null, limit }));
    const cells = rows.map((row) => [iso(row.atMs), row.who, row.action, row.subject, row.after ?? ""]);
    terminal.say(table(["at", "who", "action", "subject", "after"], cells, terminal.style));
    terminal.answer({ ok: true, audit: rows.map(auditView) });
    return EXIT.ok;
  },
});

const payouts = defineSubcommand({
  path: "payouts pending",
  summary: "shows payouts that are not in a block yet, with their transactions",
  flags: {},
  example: "payouts pending --json",
  async run({ positionals }, terminal) {
    none(positionals);
    const rows = await withStore(async (store) => {
      const open = await store.payouts.listOpen();
      const find = (id: string | null) => (id === null ? null : store.transactions.find(id));
      return Promise.all(open.map(async (payout) => ({ payout, transaction: await find(payout.transactionId) })));
    });
    const view = rows.map(({ payout, transaction }) => ({
      payoutId: payout.payoutId,
      wallet: payout.wallet,
      status: payout.status,
      score: payout.score.toString(),
      amount: payout.amount.toString(),
      createdAt: iso(payout.createdAtMs),
      nonce: transaction?.nonce ?? null,
      txHash: transaction?.txHash ?? payout.txHash,
    }));
    const cells = view.map((row) => [
      row.payoutId,
      short(row.wallet),
      row.status,
      row.amount,
      row.createdAt,
      String(row.nonce ?? "–"),
      row.txHash ?? "–",
    ]);
    const heads = ["payout", "wallet", "status", "amount", "since", "nonce", "transaction"];
    terminal.say(rows.length === 0 ? "No payout is pending" : table(heads, cells, terminal.style, [3]));
    terminal.answer({ ok: true, payouts: view });
    return EXIT.ok;
  },
});

const PAGE = 500;
/** A spreadsheet takes a cell that begins like this for a formula. */
const csvCell = (text: string): string => `"${(/^[=+\-@\t]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

const newsletter = defineSubcommand({
  path: "newsletter export",
  summary: "writes the subscribers as CSV on stdout (with --json as JSON); the export itself is audited",
  flags: { ...AS_FLAG },
  example: "newsletter export > subscribers.csv",
  async run({ flags, positionals }, terminal) {
    none(positionals);
    const rows: SubscriberRow[] = [];
    await withStore(async (store) => {
      for (let after: string | null = null; ; ) {
        const page: readonly SubscriberRow[] = await store.newsletter.list({ afterEmail: after, limit: PAGE });
        rows.push(...page);
        if (page.length < PAGE) break;
        after = page.at(-1)!.email;
      }
      await store.operator.note({
        ...stampOf(flags),
        action: "newsletter.export",
        subject: "newsletter",
        before: null,
        after: JSON.stringify({ addresses: rows.length }),
      });
    });
    const lines = rows.map(({ email, createdAtMs }) => `${csvCell(email)},${csvCell(iso(createdAtMs))}`);
    if (!terminal.json) process.stdout.write(`${["email,subscribedAt", ...lines].join("\n")}\n`);
    terminal.answer({
      ok: true,
      subscribers: rows.map((row) => ({ email: row.email, subscribedAt: iso(row.createdAtMs) })),
    });
    return EXIT.ok;
  },
});

export const RECORD_COMMANDS = [audit, payouts, newsletter];
