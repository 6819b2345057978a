/** The viewer's door: puts the app into the page. */
import { render } from "preact";
import { App } from "./app.tsx";
import { startRouter } from "./router.ts";
import { restoreAccess } from "./wallet/service.ts";
import { discoverWallets } from "./wallet/wallets.ts";

const root = document.getElementById("app");
if (root === null) throw new Error("index.html has no #app");
restoreAccess();
discoverWallets();
startRouter();
root.replaceChildren();
render(<App />, root);
