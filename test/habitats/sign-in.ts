import type { Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { ApiResponse, TestStack } from "../helpers/suite.ts";

export const createAccount = () => privateKeyToAccount(generatePrivateKey());
export type Account = ReturnType<typeof createAccount>;

/** Nonce, message, signature, verification. */
export async function signIn(
  stack: TestStack,
  address: string,
  sign: (message: string) => Promise<Hex>,
  edit: (message: string) => string = (message) => message,
): Promise<ApiResponse> {
  const base = "/api/games/flappybots/auth";
  const nonce = await stack.request("POST", `${base}/nonce`, { body: { walletAddress: address } });
  const message = edit(nonce.body.message);
  return stack.request("POST", `${base}/verify`, { body: { message, signature: await sign(message) } });
}
