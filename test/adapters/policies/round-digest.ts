/** Plays a round and returns its digest. Bundled, with the engine's bytes, for other Node versions and for browsers. */
import { digestJson } from "../../../domain/canonical-json.ts";
import { createEngine } from "../../../domain/league/engine.ts";
import { playRound } from "./league-round.ts";

export async function computeDigest(wasm: Uint8Array<ArrayBuffer>, size: readonly [number, number, number]) {
  return digestJson(await playRound(createEngine(new WebAssembly.Module(wasm)), ...size));
}
