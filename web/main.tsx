/** The entry point of the site: brings the page that the server has rendered to life. */
import { hydrate } from "preact";
import { App } from "./app.tsx";
import { giveFirstValues } from "./components/loaded-values.ts";
import { followMotionPreference } from "./components/motion.ts";
import { followLinks, openPage, shown } from "./router.tsx";
import { restoreScroll } from "./scroll.ts";
import { restoreAccess } from "./wallet/service.ts";
import { discoverWallets } from "./wallet/wallets.ts";

const root = document.getElementById("app");
if (root === null) throw new Error("the page has no #app");
const values = document.getElementById("page-values")?.textContent ?? "{}";
giveFirstValues(JSON.parse(values) as { readonly [key: string]: unknown });
const [, first] = await Promise.all([restoreAccess(), openPage(new URL(location.href))]);
shown.value = first;
// The scripts have run in this task. The browser can paint and answer the reader before the page is brought to life.
await new Promise((resolve) => setTimeout(resolve));
discoverWallets();
followLinks();
hydrate(<App />, root);
followMotionPreference();
restoreScroll();
