/** A process that simulates the runs its parent requests. Its optional argument is the fault to inject. */
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { root } from "../../scripts/start/build.ts";
import { inject } from "../injected/inject.ts";
import type { BatchRequest } from "./batch.ts";

enableCompileCache(join(root, "node_modules/.cache/node"));
const [, , injected] = process.argv;
// Before the product is loaded.
if (injected !== undefined) inject([injected]);
const { runBatch } = await import("./run-batch.ts");

process.on("message", (request: BatchRequest) => {
  void runBatch(request).then((result) => process.send!(result));
});
