/** Texts of the pages of a transaction and an address. */

/** The frame of the pages. */
export const EXPLORER_PAGE_LABELS = {
  title: { tx: "Transaction", address: "Address" },
  lead: "Read from the chain by your browser, and decoded by the ABIs of the arcade's contracts.",
  noNode: "The operator lists no node of the chain for browsers.",
} as const;

export const EXPLORER_LABELS = {
  missing: "Not found",
  noTransaction: "This chain has no transaction with this hash.",
  status: { success: "Succeeded", reverted: "Failed", pending: "In no block yet" },
  block: "Block",
  created: "A new contract",
  call: "Call",
  bytes: (count: number): string => `${count} bytes`,
  unknownCall: "Not a call that this page knows",
  events: "Events",
  noEvents: "None of the arcade's contracts.",
  latestEvents: (blocks: number): string => `Events of the last ${blocks} blocks`,
  wallet: "Wallet",
  contract: "Contract that is not one of the arcade's",
  agent: "Agent page",
  unknownEvent: "Not decoded",
} as const;
