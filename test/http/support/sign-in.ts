import type { Hex } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import type { ApiResponse, TestStack } from "../../helpers/suite.ts";

/** Accounts of these tests: the same keys in every run, with nothing on any chain. */
export const createTestAccount = (number: number): PrivateKeyAccount =>
  privateKeyToAccount(`0x${(0xa11ce0000 + number).toString(16).padStart(64, "0")}`);

/** The routes whose codes test/http/auth/tokens.test.ts covers. sign-in.test.ts covers all other sign-in routes. */
export const TOKEN_ROUTES: readonly string[] = ["auth.refresh", "auth.signOut"];

export interface SignInAttempt {
  readonly account: PrivateKeyAccount;
  readonly slug?: string;
  /** The game whose `verify` gets the message; the nonce's game by default. */
  readonly verifySlug?: string;
  /** Changes the message before it is signed. */
  readonly edit?: (message: string) => string;
  readonly sign?: (message: string) => Promise<Hex>;
}

/** Nonce, signature and verification, with changes possible at each step. */
export async function attemptSignIn(
  stack: TestStack,
  attempt: SignInAttempt,
): Promise<{ readonly response: ApiResponse; readonly message: string; readonly signature: Hex }> {
  const { account, slug = "shellrunners" } = attempt;
  const nonce = await stack.request("POST", `/api/games/${slug}/auth/nonce`, {
    body: { walletAddress: account.address },
  });
  const message = attempt.edit?.(nonce.body.message) ?? nonce.body.message;
  const signature = (await attempt.sign?.(message)) ?? (await account.signMessage({ message }));
  const response = await stack.request("POST", `/api/games/${attempt.verifySlug ?? slug}/auth/verify`, {
    body: { message, signature },
  });
  return { response, message, signature };
}
