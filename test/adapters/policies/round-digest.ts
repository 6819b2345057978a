/** Plays a round and gives its digest: bundled for other versions of Node and for browsers, which get the engine's bytes. */
import { digestJson } from "../../../domain/canonical-json.ts";
import { createEngine } from "../../../domain/league/engine.ts";
import { playRound } from "./league-round.ts";

export async function computeDigest(wasm: Uint8Array<ArrayBuffer>, size: readonly [number, number, number]) {
  return digestJson(await playRound(createEngine(new WebAssembly.Module(wasm)), ...size));
}
