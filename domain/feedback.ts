/** Scores as feedback in an ERC-8004 Reputation registry (https://eips.ethereum.org/EIPS/eip-8004). */
import { encodeFunctionData, type Hex, parseAbi } from "viem";

/** The used part of the published registry: giving feedback, its event, and the registry of its agents. */
export const REPUTATION_ABI = parseAbi([
  "function getIdentityRegistry() view returns (address)",
  "function giveFeedback(uint256 agentId, int128 value, uint8 valueDecimals, string tag1, string tag2, string endpoint, string feedbackURI, bytes32 feedbackHash)",
  "event NewFeedback(uint256 indexed agentId, address indexed clientAddress, uint64 feedbackIndex, int128 value, uint8 valueDecimals, string indexed indexedTag1, string tag1, string tag2, string endpoint, string feedbackURI, bytes32 feedbackHash)",
]);

/** `tag1` of a score. */
export const SCORE_TAG = "score";

/** A verified score as it is published. */
export interface ScoreFeedback {
  readonly agentId: string;
  readonly slug: string;
  readonly score: number;
  readonly gameSessionHash: Hex;
  readonly replayDigest: Hex;
}

/** Where the replay of a score is served. */
const toFeedbackUri = (publicUrl: string, gameSessionHash: Hex): string =>
  `${publicUrl}/api/replays/${gameSessionHash}`;

/** The hash of a score on chain that a feedback's address names; null where it names none. */
export const parseFeedbackUri = (uri: string): Hex | null =>
  (/\/(0x[0-9a-f]{64})$/.exec(uri)?.[1] as Hex | undefined) ?? null;

/** The call that publishes a score: whole points, the game as `tag2`, the replay's address and its digest. */
export const encodeFeedback = (feedback: ScoreFeedback, publicUrl: string): Hex =>
  encodeFunctionData({
    abi: REPUTATION_ABI,
    functionName: "giveFeedback",
    args: [
      BigInt(feedback.agentId),
      BigInt(feedback.score),
      0,
      SCORE_TAG,
      feedback.slug,
      "",
      toFeedbackUri(publicUrl, feedback.gameSessionHash),
      feedback.replayDigest,
    ],
  });
