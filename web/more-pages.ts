/** Pages that few visits start with, as one script. The pages that `router.tsx` imports are in the first script. */
export { AccountPage } from "./pages/account.tsx";
export { AddressPage } from "./pages/address.tsx";
export { ConsolePage } from "./pages/console.tsx";
export { DocsPage } from "./pages/docs.tsx";
export { GuidePage } from "./pages/guide.tsx";
export { LeaguePage } from "./pages/league.tsx";
export { MarketPage } from "./pages/market.tsx";
export { MatchPage } from "./pages/match.tsx";
export { PracticePage } from "./pages/practice.tsx";
export { SearchPage } from "./pages/search.tsx";
export { StatsPage } from "./pages/stats.tsx";
export { TxPage } from "./pages/tx.tsx";
export { VotePage } from "./pages/vote.tsx";
export { WritePage } from "./pages/write.tsx";
