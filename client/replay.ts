/** Verification of scores without the service: reruns replays under their own rules version. For Node and browsers. */
export type { Replay } from "../domain/replay/replay.ts";
export { type ReplayClaims, type ReplayVerdict, verifyReplay } from "./verify-replay.ts";
