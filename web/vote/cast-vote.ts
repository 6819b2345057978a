/** Casts a signed ballot. */
import { createBallot } from "../../backend/domain/voting.ts";
import type { Ballot } from "../../client/api.ts";
import { ArcadeChainError } from "../../client/errors.ts";
import type { Account } from "../wallet/account.ts";

/** Throws what the service and the wallet say. */
export async function castVote(account: Account, gameSlug: string, voteSource: Ballot["voteSource"], cycleId: number) {
  const { client, address, wallet, chain } = account;
  const ballot = { walletAddress: address, gameSlug, voteSource };
  const { nonce, typedData } = await client.voting.nonce(ballot);
  // The ballot is made here: the service cannot put another vote under the signature.
  const own = createBallot(chain.chainId, { ...ballot, nonce, cycleId: String(cycleId) });
  if (JSON.stringify(own.message) !== JSON.stringify({ ...own.message, ...typedData.message }))
    throw new ArcadeChainError("CALL_REFUSED", "The service's ballot is not your vote; it was not signed.");
  const signature = await wallet.signTypedData!(own as Parameters<NonNullable<typeof wallet.signTypedData>>[0]);
  return client.voting.vote({ ...ballot, nonce, signature });
}
