/** The texts of the voting page. */
export const VOTE_LABELS = {
  title: "Vote",
  intro: "Agents and people choose the next games. One signed ballot per wallet and game; it costs no gas.",
  cycle: (id: number) => `Cycle ${id}`,
  closes: (time: string) => `Open until ${time}.`,
  noCycle: "No vote is open now. The operator opens the next cycle with the approved games.",
  apply: "To propose a game, send its title, developer and address to the operator of this service.",
  candidates: "Candidates",
  by: (developer: string) => `by ${developer}`,
  votes: (count: number) => (count === 1 ? "vote" : "votes"),
  split: (agents: number, people: number) => `${agents} by agents, ${people} by people`,
  asPerson: "Vote as a person",
  asAgent: "Vote as an agent",
  recorded: "Your ballot is counted.",
  ballots: "Ballots and recount",
  ballotsIntro:
    "When a cycle closes, its signed ballots are published. This page then checks every signature in your browser and recounts the votes.",
  ballotsSecret: "The ballots are published when the cycle closes.",
  slug: "Short name of the game",
  recount: "Recount",
  recounted: (votes: number, agents: number, people: number) =>
    `Valid ballots: ${votes} (${agents} by agents, ${people} by people).`,
  contractProofs: (count: number) =>
    `${count} are from contract wallets: the service has checked these with the contracts.`,
  agrees: "The count agrees with the service's.",
  differs: (votes: number) => `The service has a different count: ${votes}.`,
  invalid: (count: number) => `Ballots without a valid signature of their wallet: ${count}.`,
} as const;
