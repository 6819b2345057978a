/** The entry point of the site: hydrates the page that the server has rendered. */
import { hydrate } from "preact";
import { App } from "./app.tsx";
import { giveFirstValues } from "./components/loaded-values.ts";
import { followMotionPreference } from "./components/motion.ts";
import { findEarlyEntries, repeatEarlyClick, reportEntries } from "./early-input.ts";
import { followLinks, openPage, shown } from "./router.tsx";
import { restoreScroll } from "./scroll.ts";
import { followTranslatedTexts } from "./translated-texts.ts";
import { restoreAccess } from "./wallet/service.ts";
import { discoverWallets } from "./wallet/wallets.ts";

const root = document.getElementById("app");
if (root === null) throw new Error("the page has no #app");
const values = document.getElementById("page-values")?.textContent ?? "{}";
giveFirstValues(JSON.parse(values) as { readonly [key: string]: unknown });
const [, first] = await Promise.all([restoreAccess(), openPage(new URL(location.href))]);
shown.value = first;
// The scripts have run in this task. Let the browser paint and handle input before the page is hydrated.
await new Promise((resolve) => setTimeout(resolve));
discoverWallets();
followLinks();
const entries = findEarlyEntries(root);
hydrate(<App />, root);
reportEntries(entries);
repeatEarlyClick();
followTranslatedTexts(root);
followMotionPreference();
restoreScroll();
