/** A process that runs the lives its parent asks for. Its argument names an injected fault; without one it has none. */
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { root } from "../../scripts/start/build.ts";
import { inject } from "../injected/inject.ts";
import type { LivesRequest } from "./lives.ts";

enableCompileCache(join(root, "node_modules/.cache/node"));
const [, , injected] = process.argv;
// Before the product is loaded.
if (injected !== undefined) inject([injected]);
const { runLives } = await import("./run-lives.ts");

process.on("message", (request: LivesRequest) => {
  void runLives(request).then((result) => process.send!(result));
});
