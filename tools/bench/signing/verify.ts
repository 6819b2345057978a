/** P3: the check of a sign-in and of a ballot, every field and the signature, beside siwe's own check. */
import { SiweMessage } from "siwe";
import { verifyTypedData } from "viem";
import { type Ecdsa, loadNative, loadWasm } from "../../../backend/adapters/signer/ecdsa.ts";
import { hashTypedData } from "../../../backend/adapters/signer/hash-typed-data.ts";
import { hashMessage, recoverSigner } from "../../../backend/adapters/signer/recover.ts";
import { createSigningKey } from "../../../backend/adapters/signer/secp256k1.ts";
import { checkSignInMessage } from "../../../backend/domain/auth.ts";
import { formatSignInMessage, parseSignInMessage } from "../../../backend/domain/sign-in-message.ts";
import { createBallot } from "../../../backend/domain/voting.ts";
import { precompute } from "./payloads.ts";
import type { Row } from "./rounds.ts";

const chainId = 31337;
const domain = "localhost:3000";
const path = "/api/games/shellrunners/auth/verify";
const statement = "Sign in to Agent Arcade.";
const expectation = { origins: [`http://${domain}`], path, statement, chainId };
const createKey = (n: number) => createSigningKey(`0x${(n + 1).toString(16).padStart(64, "0")}`);

/** A message of a new wallet, so that no side has the address in a cache. */
function createSignIn(n: number) {
  const key = createKey(n);
  const nonce = n.toString(16).padStart(32, "0");
  const [nowMs, uri] = [Date.now(), `http://${domain}${path}`];
  const message = formatSignInMessage({
    ...{ origin: `http://${domain}`, address: key.address, statement, uri, chainId, nonce },
    issuedAt: new Date(nowMs).toISOString(),
    expirationTime: new Date(nowMs + 300_000).toISOString(),
  });
  return { message, nonce, wallet: key.address, nowMs, signature: key.signDigest(hashMessage(message)) };
}

function createVote(n: number) {
  const key = createKey(n);
  const nonce = n.toString(16).padStart(32, "0");
  const ballot = createBallot(chainId, {
    ...{ walletAddress: key.address, gameSlug: "tidepool", voteSource: "ai_agent", nonce, cycleId: "3" },
  });
  return { ballot, wallet: key.address, signature: key.signDigest(hashTypedData(ballot)) };
}

function failVerification(): never {
  throw new Error("A good signature was refused");
}

export async function createVerifyRows(): Promise<readonly (readonly Row[])[]> {
  const [signIn, vote] = [precompute(createSignIn, 16_384), precompute(createVote, 16_384)];
  const siwe: Row["work"] = async (n) => {
    const { message, signature, nonce } = signIn(n);
    const { success } = await new SiweMessage(message).verify({ signature, domain, nonce });
    if (!success) failVerification();
  };
  const ours = (build: Ecdsa): Row => ({
    id: "P3",
    what: "sign-in",
    side: `Agent Arcade, ${build.build}`,
    work: (n) => {
      const { message, signature, wallet, nowMs } = signIn(n);
      checkSignInMessage(parseSignInMessage(message), { ...expectation, wallet, nowMs });
      if (recoverSigner(hashMessage(message), signature, build) !== wallet) failVerification();
    },
  });
  const ourVote = (build: Ecdsa): Row => ({
    id: "P3",
    what: "ballot",
    side: `Agent Arcade, ${build.build}`,
    work: (n) => {
      const { ballot, signature, wallet } = vote(n);
      if (recoverSigner(hashTypedData(ballot), signature, build) !== wallet) failVerification();
    },
  });
  const viem: Row["work"] = async (n) => {
    const { ballot, signature, wallet } = vote(n);
    if (!(await verifyTypedData({ ...(ballot as object), address: wallet, signature } as never))) failVerification();
  };
  const native = loadNative();
  return [await loadWasm(), ...(native === null ? [] : [native])].flatMap((build) => [
    [ours(build), { id: "P3", what: "sign-in", side: "siwe, parse and verify", work: siwe }],
    [
      ourVote(build),
      { id: "P3", what: "ballot", side: "viem, verifyTypedData", work: viem },
      { id: "P3", what: "ballot", side: "siwe, parse and verify a sign-in", work: siwe },
    ],
  ]);
}
