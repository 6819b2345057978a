/** Verification of scores without the service: replays played again under their own rules. For Node and browsers. */
export type { Replay } from "../domain/replay/replay.ts";
export { type ReplayClaims, type ReplayVerdict, verifyReplay } from "./verify-replay.ts";
