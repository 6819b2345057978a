/** The texts of the operator's console. */
import type { TransactionOrderOutcome, TransactionState } from "../../domain/operator-transactions.ts";
import { formatNumber, formatUptime, shortenHex } from "./shared.ts";

export const CONSOLE_VIEWS = [
  "sessions",
  "transactions",
  "payouts",
  "signings",
  "withheld",
  "findings",
  "errors",
  "audit",
] as const;
export type ConsoleView = (typeof CONSOLE_VIEWS)[number];

export const CONSOLE_LABELS = {
  title: "Console",
  intro: "For the operator of this service.",
  token: "Admin token",
  open: "Open the console",
  close: "Close the console",
  tokenHelp: "The service's ARCADE_ADMIN_TOKEN. It is kept in this tab only.",
  views: {
    sessions: "Sessions",
    transactions: "Transactions",
    payouts: "Payouts",
    signings: "Signings",
    withheld: "Withheld scores",
    findings: "Findings",
    errors: "Errors",
    audit: "Audit",
  } satisfies { readonly [view in ConsoleView]: string },
  empty: {
    sessions: "No session is running.",
    transactions: "No transaction was sent yet.",
    payouts: "No payout is open.",
    signings: "Nothing was signed yet.",
    withheld: "No score is withheld.",
    findings: "No findings.",
    errors: "No request has failed.",
    audit: "No operator has changed anything.",
  } satisfies { readonly [view in ConsoleView]: string },
  status: "State of the service",
  ready: "Ready",
  notReady: "Not ready",
  draining: "Draining",
  uptime: "Up for",
  lateness: "Delay of ticks: median / p99 / max",
  dropped: "Ticks dropped",
  balance: "Operator's ether",
  float: "Tokens to pay out",
  openPayouts: "Open payouts",
  milliseconds: (...values: readonly number[]) => `${values.map((value) => value.toFixed(1)).join(" / ")} ms`,
  drain: "Drain",
  resume: "End the draining",
  drainText: "New work is rejected and /readyz answers 503, while running games continue.",
  reason: "Reason",
  reasonHelp: "Written to the audit.",
  end: "End",
  withhold: "Withhold",
  forfeit: "Forfeit",
  withheldFor: "Id of the session to withhold or forfeit",
  outcome: (outcome: string) => `Done: ${outcome}.`,
  signedUntil: (time: string) =>
    `Its signature is valid until ${time}: cancel it on chain with npm run admin -- sessions withhold.`,
  payoutStates: { pending: "Waiting", sent: "Sent", included: "Included", failed: "Failed" } as {
    readonly [status: string]: string;
  },
  transactionStates: {
    queued: "Queued",
    above_fee_cap: "Above the fee cap",
    sent: "Sent",
    included: "Included",
    safe: "Safe",
    final: "Final",
    replaced: "Cancelled",
    failed: "Failed",
  } satisfies { readonly [state in TransactionState]: string },
  bump: "Raise the fees",
  cancel: "Cancel",
  orderPlaced: "Ordered. A running server carries it out within a second or so.",
  orderOutcomes: {
    bumped: "Sent again with higher fees.",
    cancelled: "An empty transfer was sent in its place; whichever a block takes first counts.",
    not_waiting: "It no longer waits.",
    fee_cap: "Higher fees would be above the cap (ARCADE_OPERATOR_FEE_CAP_GWEI).",
    unknown: "It belongs to another operator's key.",
  } satisfies { readonly [outcome in TransactionOrderOutcome]: string },
  doctor: "Doctor",
  doctorText: "Compares contracts, roles, keys, caps, float and clocks with the chain.",
  runDoctor: "Run the checks",
  findingStatus: { ok: "OK", warning: "Warning", fault: "Fault", skipped: "Skipped" },
  allWell: (count: number) => `All ${count} checks passed.`,
  next: "What to do",
  service: "This process",
  requestId: "Request id",
  find: "Find",
  details: "Details",
  columns: {
    game: "Game",
    who: "Who",
    phase: "Phase",
    score: "Score",
    tick: "Tick",
    seats: "Seats",
    since: "Since",
    kind: "Kind",
    status: "Status",
    nonce: "Nonce",
    hash: "Transaction",
    block: "Block",
    fee: "Highest fee (gwei)",
    error: "Last error",
    wallet: "Wallet",
    amount: "Amount",
    time: "When",
    request: "Request",
    route: "Route",
    code: "Code",
    message: "Message",
    action: "Change",
    subject: "Subject",
    check: "Check",
    finding: "Finding",
    ok: "OK",
    bad: "Problem",
    signedFor: "Signed for",
    payload: "Payload",
  },
  anonymous: "A person practicing",
} as const;

const KIND_LABELS: { readonly [kind: string]: string } = {
  MintIdentity: "Identity",
  MintGameNft: "NFT",
  UpgradeGameNft: "NFT upgrade",
  Snapshot: "Score",
  SnapshotBatch: "Scores",
  payout: "Payout",
  relay: "An agent's call, paid by the service",
};

/** By kind. `parts`: the parts of a signing's key after the wallet. */
const SIGNING_DETAILS: { readonly [kind: string]: (...parts: readonly string[]) => string } = {
  MintIdentity: (nonce) => `identity ${Number(nonce) + 1} of this wallet`,
  MintGameNft: (agentId, points) => `agent #${agentId}, ${points} points`,
  UpgradeGameNft: (agentId, points) => `agent #${agentId}, ${points} points`,
  Snapshot: (sequence) => `run ${sequence} of this wallet`,
  SnapshotBatch: (sequences = "") => `runs ${sequences.replaceAll(",", ", ")} of this wallet`,
};

/** What a signing was for, in words. `parts`: the parts of its key after the wallet. */
export function formatSigning(kind: string, parts: readonly string[]): string {
  const [name = ""] = kind.split(":");
  return Object.hasOwn(SIGNING_DETAILS, name) ? SIGNING_DETAILS[name]!(...parts) : parts.map(shortenHex).join(" · ");
}

/** Describes a trend line, for screen readers and as a tooltip. */
export const formatTrend = (first: number, last: number, seconds: number): string =>
  `${formatNumber(first)} to ${formatNumber(last)} in the last ${formatUptime(seconds)}`;

/** `Score` of `Snapshot:0x…`, `Payout` of `payout`. */
export const formatKind = (kind: string): string => {
  const [name = ""] = kind.split(":");
  return Object.hasOwn(KIND_LABELS, name) ? KIND_LABELS[name]! : name;
};
