/** The texts of the console's alarms. A test compares the entries with the runbook of docs/operating.md. */

export interface Help {
  /** What to do first. */
  readonly help: string;
  /** The entry of the runbook that has the rest. */
  readonly entry: string;
}

/** By the names of the checks of `/readyz`. */
export const HELP_BY_CHECK: { readonly [check: string]: Help } = {
  process: {
    help: "The service is stopping or draining. End the draining below, or start it again.",
    entry: "The database is broken, or the machine is lost",
  },
  sessions: {
    help: "The service is resuming sessions from before its start. If this takes minutes, look at the database.",
    entry: "The database is broken, or the machine is lost",
  },
  database: {
    help: "Nothing can be stored. Make room on the disk, or restore the last backup.",
    entry: "The database is broken, or the machine is lost",
  },
  chain: {
    help: "Games continue; signatures and payouts wait. Set another node in ARCADE_RPC_URL, and restart.",
    entry: "The node is away",
  },
  signers: {
    help: "The contracts do not accept a key of this service. npm run doctor shows which one, and what to grant.",
    entry: "A key has leaked",
  },
  pause: {
    help: "Nothing is paid while the contracts are paused. Find out who paused them and why, then npm run admin -- chain unpause.",
    entry: "A key has leaked",
  },
  audit: {
    help: "Stored facts differ from the contracts. Read the chain again with the command above.",
    entry: "The node lies or is behind",
  },
};

export const ALARM_LABELS = {
  title: "Alarms",
  none: "No alarms.",
  runbook: (entry: string): string => `Runbook: ${entry}`,
  unknown: { help: "Run the checks under Findings.", entry: "The node is away" },
  late: (lateMs: number, tickMs: number, dropped: number): string =>
    `Ticks are late: 1 of 100 by ${lateMs} ms or more, and a tick lasts ${tickMs} ms. ${dropped} dropped since the start.`,
  lateHelp: {
    help: "The processor is too busy: move other programs away, or run fewer games (ARCADE_SESSIONS_MAX).",
    entry: "Ticks are late",
  },
  ether: (ether: string): string => `The operator's key has only ${ether} ETH for gas.`,
  etherHelp: { help: "Send gas money to the operator.", entry: "A payout is stuck" },
  float: "The rewards contract has no tokens to pay out.",
  floatHelp: { help: "Transfer reward tokens to the rewards contract.", entry: "The float is empty" },
  stuck: (seconds: number): string => `A payout has waited for ${seconds} s.`,
  stuckHelp: {
    help: "Look under Payouts for the node's reason; npm run admin -- payouts pending shows the rest.",
    entry: "A payout is stuck",
  },
  againstPolicy: (count: number): string => `${count} calls were not sent because another operator made them.`,
  againstPolicyHelp: { help: "Someone else may have signed with the operator's key.", entry: "A key has leaked" },
} as const;
