/** The entry point of the site: puts the app into the page. */
import { render } from "preact";
import { App } from "./app.tsx";
import { restoreAccess } from "./wallet/service.ts";
import { discoverWallets } from "./wallet/wallets.ts";

const root = document.getElementById("app");
if (root === null) throw new Error("the page has no #app");
await restoreAccess();
discoverWallets();
root.replaceChildren();
render(<App />, root);
