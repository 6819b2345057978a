/** A process that runs the lives its parent asks for. Its argument names a planted fault; without one it has none. */
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { root } from "../../scripts/start/build.ts";
import type { LivesRequest } from "./lives.ts";
import { plant } from "./planted.ts";

enableCompileCache(join(root, "node_modules/.cache/node"));
const [, , planted] = process.argv;
// Before the product is loaded.
if (planted !== undefined) plant(planted);
const { runLives } = await import("./run-lives.ts");

process.on("message", (request: LivesRequest) => {
  void runLives(request).then((result) => process.send!(result));
});
