/** Texts of the pages of a transaction and an address. */

/** The frame of the pages. */
export const EXPLORER_PAGE_LABELS = {
  title: { tx: "Transaction", address: "Address" },
  lead: "Your browser reads this from the chain and decodes it with the ABIs of the arcade's contracts.",
  noNode: "The operator has not published a node that browsers can use.",
} as const;

export const EXPLORER_LABELS = {
  missing: "Not found",
  noTransaction: "This chain has no transaction with this hash.",
  status: { success: "Succeeded", reverted: "Failed", pending: "Not in a block yet" },
  block: "Block",
  created: "A new contract",
  call: "Call",
  bytes: (count: number): string => `${count} bytes`,
  unknownCall: "This page does not know this call",
  events: "Events",
  noEvents: "No events from the arcade's contracts.",
  latestEvents: (blocks: number): string => `Events of the last ${blocks} blocks`,
  wallet: "Wallet",
  contract: "Not one of the arcade's contracts",
  agent: "Agent page",
  unknownEvent: "Not decoded",
  /** The amount in tokens; the page shows base units after it. */
  tokens: (amount: string): string => `${amount} tokens`,
} as const;
