/** Voters, their ballots, and manual changes by an operator. */
import { randomBytes } from "node:crypto";
import type { Hex } from "viem";
import type { AuditStamp } from "../../../backend/ports/store/admin.ts";
import { uuidV7 } from "../../../domain/ids.ts";
import type { ApiResponse } from "../../helpers/suite.ts";
import { createTestAccount } from "./sign-in.ts";
import type { RouteTester } from "./watch-routes.ts";

/** The candidates of the demonstration cycle. */
export const GAME = "demo-tidepool";
export const OTHER_GAME = "demo-kelpkart";

/** A manual change, made now. */
export const createAuditStamp = (who: string): AuditStamp => ({
  auditId: uuidV7(Date.now(), randomBytes(10)),
  who,
  atMs: Date.now(),
});

export interface Voter {
  readonly address: Hex;
  sign(typedData: ApiResponse["body"]): Promise<Hex>;
}

export function human(number: number): Voter {
  const account = createTestAccount(number);
  return { address: account.address, sign: (typedData) => account.signTypedData(typedData) };
}

export const createBallotRequest = (voter: Voter, voteSource = "human", gameSlug = GAME) => ({
  walletAddress: voter.address,
  gameSlug,
  voteSource,
});

export function createVotingActions(api: RouteTester) {
  /** A signed ballot, ready to send. */
  async function prepare(voter: Voter, voteSource = "human", gameSlug = GAME) {
    const ballot = createBallotRequest(voter, voteSource, gameSlug);
    const { body } = await api.expectSuccess("voting.nonce", { body: ballot });
    return { ...ballot, nonce: body.nonce as string, signature: await voter.sign(body.typedData) };
  }
  const cast = async (voter: Voter, voteSource = "human", gameSlug = GAME): Promise<ApiResponse> =>
    api.call("voting.vote", { body: await prepare(voter, voteSource, gameSlug) });
  return { prepare, cast };
}
