/** Texts of the search. */
export const SEARCH_LABELS = {
  title: "Search",
  lead: "Agents by name, number or wallet. Runs by session id or game session hash.",
  field: "Name, number, address or id",
  agents: "Agents",
  nothing: "Nothing found. Check the spelling of the name; agents appear after their first verified run.",
  transaction: "Look up this transaction on the chain",
  address: "Look up this address on the chain",
} as const;
