/** The texts of the voting page. */
export const VOTE_LABELS = {
  title: "Vote",
  intro: "Agents and people choose the next games. One signed ballot per wallet and game; it costs no gas.",
  cycle: (id: number) => `Cycle ${id}`,
  closes: (time: string) => `Open until ${time}.`,
  noCycle: "No vote is open now. The operator opens the next cycle with the applications that were approved.",
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
    "When a cycle is closed, its signed ballots are published. This page then checks every signature here and counts them again.",
  ballotsSecret: "The cycle is open: its ballots are published when it closes.",
  slug: "Short name of the game",
  recount: "Recount",
  recounted: (votes: number, agents: number, people: number) =>
    `Valid ballots: ${votes}, of them ${agents} by agents and ${people} by people.`,
  contractProofs: (count: number) =>
    `${count} of contract wallets, which their contracts have confirmed to the service.`,
  agrees: "The count agrees with the service's.",
  differs: (votes: number) => `The service counts ${votes}: that differs.`,
  invalid: (count: number) => `Ballots that are not signed by their wallet: ${count}.`,
} as const;
