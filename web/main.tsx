/** The viewer's door: puts the app into the page. */
import { render } from "preact";
import { App } from "./app.tsx";
import { followAddress } from "./router.ts";
import { keepAccess } from "./service.ts";

const root = document.getElementById("app");
if (root === null) throw new Error("index.html has no #app");
keepAccess();
followAddress();
root.replaceChildren();
render(<App />, root);
