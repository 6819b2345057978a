/** Forms of the voting routes. */
import { z } from "zod";
import { createTypedData } from "../../../../domain/typed-data/messages.ts";
import { VOTE_SOURCES } from "../../../../domain/voting.ts";
import { EXAMPLES } from "../../routing/examples.ts";
import type { Example } from "../../schemas/types.ts";
import { address, addressOut, decimal, hexOut, isoTime, text } from "../../schemas/values.ts";

/** A candidate's slug, never a live game's; unknown ones are `GAME_NOT_FOUND`. */
export const candidateSlug = text(1, 64).meta({
  minLength: 1,
  maxLength: 64,
  description: "Slug of a candidate in the community voting",
  example: "demo-tidepool",
});

export const ballotBody = { walletAddress: address, gameSlug: candidateSlug, voteSource: z.enum(VOTE_SOURCES) };

export const cycle = z
  .object({
    id: z.int(),
    state: z.enum(["open", "closed"]),
    opensAt: isoTime,
    closesAt: isoTime,
    openingBlock: z.int(),
  })
  .meta({ id: "VotingCycle" });

export const counts = { totalVotes: z.int(), humanVotes: z.int(), aiAgentVotes: z.int() };

export const ballot = z
  .object({
    walletAddress: addressOut,
    voteSource: z.enum(VOTE_SOURCES),
    agentId: decimal.nullable(),
    message: z.object({
      walletAddress: addressOut,
      gameSlug: z.string(),
      voteSource: z.enum(VOTE_SOURCES),
      nonce: z.string(),
      cycleId: decimal,
    }),
    signature: hexOut,
    proof: z.enum(["key", "contract"]),
    castAt: isoTime,
  })
  .meta({ id: "Ballot" });

export const ballotRequest = {
  walletAddress: EXAMPLES.wallet,
  gameSlug: EXAMPLES.candidate,
  voteSource: "ai_agent",
} as const;
export const ballotExample: Example<typeof ballot> = {
  walletAddress: EXAMPLES.wallet,
  voteSource: "ai_agent",
  agentId: "1",
  message: { ...ballotRequest, nonce: EXAMPLES.nonce, cycleId: "1" },
  signature: EXAMPLES.signature,
  proof: "key",
  castAt: EXAMPLES.at,
};
export const ballotTypedData = createTypedData("Vote", { chainId: EXAMPLES.chainId }, ballotExample.message);
