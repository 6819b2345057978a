/** A vote in the community voting, signed by a wallet. */
import { createBallot } from "../domain/voting.ts";
import type { Ballot } from "./api.ts";
import { checkMessage } from "./check-call.ts";
import type { ArcadeClient } from "./client.ts";
import { getWallet } from "./flows.ts";
import type { ArcadeWallet } from "./wallet.ts";

/**
 * Signs and casts a vote. `cycleId`: the cycle that the voter has seen; the service's current one if left out. Throws
 * `CALL_REFUSED` if the service gives another message to sign, `ArcadeApiError`, and errors of the wallet.
 */
export async function castVote(options: {
  readonly client: ArcadeClient;
  /** The client's wallet by default. */
  readonly wallet?: ArcadeWallet;
  readonly gameSlug: string;
  readonly voteSource: Ballot["voteSource"];
  readonly cycleId?: number;
}) {
  const { client, gameSlug, voteSource } = options;
  const wallet = getWallet(options);
  if (wallet.signTypedData === undefined)
    throw new TypeError("This flow needs a wallet that signs typed data (EIP-712)");
  const vote = { walletAddress: wallet.address, gameSlug, voteSource };
  const [{ nonce, typedData }, { chainId }] = await Promise.all([client.voting.nonce(vote), client.getContracts()]);
  const cycleId = String(options.cycleId ?? typedData.message.cycleId);
  // Build the ballot here, so that the service cannot get another message signed.
  const ballot = createBallot(chainId, { ...vote, nonce, cycleId });
  checkMessage("ballot", ballot, typedData);
  const signature = await wallet.signTypedData(ballot);
  return client.voting.vote({ ...vote, nonce, signature });
}
