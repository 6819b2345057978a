/** Reading: the audit, pending payouts, and the newsletter's addresses. */
import type { AuditRow } from "../../backend/ports/store/admin.ts";
import type { SubscriberRow } from "../../backend/ports/store/stats.ts";
import { defineCommand, parseCount } from "../cli/command.ts";
import { EXIT } from "../cli/failures.ts";
import { formatTable, shortenHex } from "../cli/style.ts";
import { AS_FLAG, createAuditStamp, withStore } from "./context.ts";

const toIso = (ms: number): string => new Date(ms).toISOString();
const parseJson = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

const toAuditView = ({ auditId, who, action, subject, atMs, before, after }: AuditRow) => ({
  auditId,
  at: toIso(atMs),
  who,
  action,
  subject,
  before: parseJson(before),
  after: parseJson(after),
});

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
    const rows = await withStore(({ operator }) => operator.listAudit({ subject: flags.subject ?? null, limit }));
    const cells = rows.map((row) => [toIso(row.atMs), row.who, row.action, row.subject, row.after ?? ""]);
    terminal.print(formatTable(["at", "who", "action", "subject", "after"], cells, terminal.style));
    terminal.printJson({ ok: true, audit: rows.map(toAuditView) });
    return EXIT.ok;
  },
});

const payouts = defineCommand({
  name: "payouts pending",
  summary: "shows payouts that are not in a block yet, with their transactions",
  examples: ["npm run admin -- payouts pending --json"],
  async run(_, terminal) {
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
      createdAt: toIso(payout.createdAtMs),
      nonce: transaction?.nonce ?? null,
      txHash: transaction?.txHash ?? payout.txHash,
      lastError: transaction?.lastError ?? null,
    }));
    const cells = view.map((row) => [
      row.payoutId,
      shortenHex(row.wallet),
      row.status,
      row.amount,
      row.createdAt,
      String(row.nonce ?? "–"),
      row.txHash ?? "–",
      row.lastError ?? "–",
    ]);
    const headings = ["payout", "wallet", "status", "amount", "since", "nonce", "transaction", "node's last error"];
    terminal.print(rows.length === 0 ? "No payout is pending" : formatTable(headings, cells, terminal.style, [3]));
    terminal.printJson({ ok: true, payouts: view });
    return EXIT.ok;
  },
});

const PAGE_SIZE = 500;
/** Quotes a cell; a spreadsheet takes a cell that begins with one of these characters for a formula. */
const toCsvCell = (text: string): string => `"${(/^[=+\-@\t]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

const newsletter = defineCommand({
  name: "newsletter export",
  summary: "writes the subscribers as CSV (with --json as JSON) to stdout; the audit records the export",
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
    terminal.printJson({
      ok: true,
      subscribers: rows.map((row) => ({ email: row.email, subscribedAt: toIso(row.createdAtMs) })),
    });
    return EXIT.ok;
  },
});

export const RECORD_COMMANDS = [audit, payouts, newsletter];
