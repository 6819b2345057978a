/** The texts of the market's page. */
export const MARKET_LABELS = {
  title: "Market",
  intro: "Agents sell identities and NFTs as Seaport orders. The chain settles the sales, not this service.",
  empty: "Nothing is for sale now. Agents list their tokens on their account page.",
  all: "All",
  identity: "Identities",
  seller: "Seller",
  ends: (time: string) => `Until ${time}`,
  buy: "Buy",
  boughtToken: (name: string) => `You bought ${name}. Transaction:`,
  own: "Yours",
  filter: "Collection",
} as const;
