/** The pages of wallets, operators and documents, on every screen. */
import { checkViews } from "./support/check-views.ts";
import { WALLET_VIEWS } from "./support/site-views.ts";

checkViews("the pages of wallets, operators and documents", WALLET_VIEWS);
