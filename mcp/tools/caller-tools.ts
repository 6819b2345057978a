/** Tools for a caller with its own wallet: they prepare what it signs and sends, and record the results. */
import { z } from "zod";
import { authNonce } from "../../backend/http/routes/auth/nonce.ts";
import { authVerify } from "../../backend/http/routes/auth/verify.ts";
import { devFaucet } from "../../backend/http/routes/dev/faucet.ts";
import { identityRegister } from "../../backend/http/routes/identity/register.ts";
import { nftPrepare } from "../../backend/http/routes/nft/prepare.ts";
import { nftRecord } from "../../backend/http/routes/nft/record.ts";
import { rewardsPayout } from "../../backend/http/routes/rewards/payout.ts";
import { rewardsSnapshot } from "../../backend/http/routes/rewards/snapshot.ts";
import { sessionsTranscript } from "../../backend/http/routes/sessions/transcript.ts";
import { votingNonce } from "../../backend/http/routes/voting/nonce.ts";
import { votingVote } from "../../backend/http/routes/voting/vote.ts";
import { slug } from "../../backend/http/schemas/requests.ts";
import { address, hash32, hexBytes, sessionIdText } from "../../backend/http/schemas/values.ts";
import { isApiError } from "../../client/errors.ts";
import { getPayoutWaitMs } from "../../client/payout-flows.ts";
import { verifyReplay } from "../../client/verify-replay.ts";
import { createTranscript } from "../../domain/replay/transcript.ts";
import { games } from "../../games/index.ts";
import { PAYOUT_WAIT_MAX_MS } from "./cooldown.ts";
import { callRoute, defineRouteTool, defineTool, type Tool } from "./define-tool.ts";

const signIn = defineTool({
  name: "sign_in",
  description:
    "Signs a wallet in, in two calls: walletAddress returns a message to sign (EIP-191); message and signature return an access token. Send the token as Authorization: Bearer with later calls.",
  input: {
    slug: slug.optional().meta({ description: "Any game: the token works for all" }),
    walletAddress: address.optional(),
    message: z.string().min(1).max(8192).optional(),
    signature: hexBytes.optional(),
  },
  writes: true,
  run({ slug: game = games[0]!.slug, walletAddress, message, signature }, context) {
    if (message === undefined) return callRoute(authNonce, { slug: game, walletAddress }, context);
    return callRoute(authVerify, { slug: game, message, signature }, context);
  },
});

const attest = defineTool({
  name: "attest",
  description:
    "Signs the replay of an ended ranked session, in two calls within 10 minutes. The first verifies the replay and returns typedData to sign (EIP-712); the second takes the signature. Verifiers then report SIGNED_BY_PLAYER.",
  input: { slug, sessionId: sessionIdText, signature: hexBytes.optional() },
  writes: true,
  async run({ signature, ...session }, context) {
    if (signature !== undefined) return callRoute(sessionsTranscript, { ...session, signature }, context);
    const { client } = context;
    const [replay, { session: record }] = await Promise.all([
      client.sessions.replay(session),
      client.sessions.get(session),
    ]);
    const { ok, verdict, reason } = await verifyReplay(replay, { session: record });
    return { verdict, reason, ...(ok ? { typedData: createTranscript(replay) } : {}) };
  },
});

const mint = defineTool({
  name: "mint",
  description:
    "The game's NFT, in two calls. The first returns the call to send, if a score on chain is enough for a mint or an upgrade; the second records the txHash of the sent call.",
  input: { slug, sessionId: sessionIdText.optional(), txHash: hash32.optional() },
  writes: true,
  run({ slug: game, txHash, ...input }, context) {
    if (txHash === undefined) return callRoute(nftPrepare, { slug: game, ...input }, context);
    return callRoute(nftRecord, { slug: game, txHash }, context);
  },
});

const payoutRoute = defineRouteTool("payout", rewardsPayout, "Waits for a short cooldown first.");
const payout: Tool = {
  ...payoutRoute,
  async run(input, context) {
    try {
      return await payoutRoute.run(input, context);
    } catch (error) {
      const waitMs = isApiError(error, "PAYOUT_NOT_READY") ? getPayoutWaitMs(error.fields, PAYOUT_WAIT_MAX_MS) : null;
      if (waitMs === null) throw error;
      await context.client.retry.sleep(waitMs);
      return payoutRoute.run(input, context);
    }
  },
};

const vote = defineTool({
  name: "vote",
  description:
    "Votes for a candidate, in two calls. The first returns a ballot to sign (EIP-712) and a nonce; the second, with nonce and signature, casts the vote.",
  input: {
    walletAddress: address,
    gameSlug: z.string().min(1).max(64),
    nonce: z.string().min(1).max(64).optional(),
    signature: hexBytes.optional(),
  },
  writes: true,
  run({ nonce, signature, ...ballot }, context) {
    const request = { ...ballot, voteSource: "ai_agent" };
    if (nonce === undefined) return callRoute(votingNonce, request, context);
    return callRoute(votingVote, { ...request, nonce, signature }, context);
  },
});

/** The faucet, which only the local chain has. */
export const FAUCET_TOOL = defineRouteTool("faucet", devFaucet);

export const CALLER_TOOLS = [
  defineRouteTool("register", identityRegister, "Send its call from the wallet, then sign_in."),
  signIn,
  attest,
  defineRouteTool(
    "snapshot",
    rewardsSnapshot,
    "Send its call from the wallet, then give sessionId and txHash. Next: payout.",
  ),
  mint,
  payout,
  vote,
];
