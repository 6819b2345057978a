/** The engine's compiled file as Node reads it. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createEngine, type Engine } from "../../../domain/league/engine.ts";

export function openEngine(): Engine {
  const path = fileURLToPath(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"));
  return createEngine(new WebAssembly.Module(readFileSync(path)));
}
