/** The viewer's door: puts the app into the page. */
import { render } from "preact";
import { keepAccess } from "./access/service.ts";
import { followWallets } from "./access/wallets.ts";
import { App } from "./app.tsx";
import { followAddress } from "./router.ts";

const root = document.getElementById("app");
if (root === null) throw new Error("index.html has no #app");
keepAccess();
followWallets();
followAddress();
root.replaceChildren();
render(<App />, root);
