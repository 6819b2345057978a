/** The wallet vouches for a run: an EIP-712 signature over the replay's digest. */
import { createTypedData, type TypedData } from "../typed-data/messages.ts";
import { computeReplayDigest, type Replay } from "./replay.ts";

/** For how long after the end a transcript may be signed; then the replay is final. */
export const TRANSCRIPT_SECONDS = 600;

/** What the wallet signs. The replay's digest covers both parts of the seed, the inputs, the pauses and the score. */
export const createTranscript = (replay: Replay): TypedData =>
  createTypedData(
    "Transcript",
    { chainId: replay.chainId },
    { wallet: replay.wallet, sessionId: replay.sessionId, replayDigest: computeReplayDigest(replay) },
  );
