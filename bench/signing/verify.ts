/** P3: what is checked of a sign-in and of a ballot, every field of it and the signature, beside siwe's own check. */
import { SiweMessage } from "siwe";
import { verifyTypedData } from "viem";
import { type Ecdsa, openNative, openWasm } from "../../backend/adapters/signer/ecdsa.ts";
import { hashTypedData } from "../../backend/adapters/signer/hash-typed-data.ts";
import { hashMessage, recoverSigner } from "../../backend/adapters/signer/recover.ts";
import { createSigningKey } from "../../backend/adapters/signer/secp256k1.ts";
import { checkSignInMessage } from "../../backend/domain/auth.ts";
import { makeBallot } from "../../backend/domain/voting.ts";
import { parseMessage, writeMessage } from "../../backend/services/sign-in-message.ts";
import { prepare } from "./payloads.ts";
import type { Row } from "./rounds.ts";

const chainId = 31337;
const domain = "localhost:3000";
const expectation = { domains: [domain], origins: [`http://${domain}`], chainId };
const keyOf = (n: number) => createSigningKey(`0x${(n + 1).toString(16).padStart(64, "0")}`);

/** A message of a wallet of its own, so that no side knows an address from before. */
function makeSignIn(n: number) {
  const key = keyOf(n);
  const nonce = n.toString(16).padStart(32, "0");
  const [nowMs, uri] = [Date.now(), `http://${domain}/api/games/shellrunners/auth/verify`];
  const message = writeMessage({
    ...{ origin: `http://${domain}`, address: key.address, statement: "Sign in to Agent Arcade.", uri, chainId, nonce },
    issuedAt: new Date(nowMs).toISOString(),
    expirationTime: new Date(nowMs + 3_600_000).toISOString(),
  });
  return { message, nonce, wallet: key.address, nowMs, signature: key.signDigest(hashMessage(message)) };
}

function makeVote(n: number) {
  const key = keyOf(n);
  const nonce = n.toString(16).padStart(32, "0");
  const ballot = makeBallot(chainId, {
    ...{ walletAddress: key.address, gameSlug: "tidepool", voteSource: "ai_agent", nonce, cycleId: "3" },
  });
  return { ballot, wallet: key.address, signature: key.signDigest(hashTypedData(ballot)) };
}

function refuse(): never {
  throw new Error("A good signature was refused");
}

export async function verifyRows(): Promise<readonly (readonly Row[])[]> {
  const [signIn, vote] = [prepare(makeSignIn, 16_384), prepare(makeVote, 16_384)];
  const siwe: Row["work"] = async (n) => {
    const { message, signature, nonce } = signIn(n);
    const { success } = await new SiweMessage(message).verify({ signature, domain, nonce });
    if (!success) refuse();
  };
  const ours = (build: Ecdsa): Row => ({
    id: "P3",
    what: "sign-in",
    side: `Agent Arcade, ${build.build}`,
    work: (n) => {
      const { message, signature, wallet, nowMs } = signIn(n);
      checkSignInMessage(parseMessage(message), { ...expectation, wallet, nowMs });
      if (recoverSigner(hashMessage(message), signature, build) !== wallet) refuse();
    },
  });
  const ourVote = (build: Ecdsa): Row => ({
    id: "P3",
    what: "ballot",
    side: `Agent Arcade, ${build.build}`,
    work: (n) => {
      const { ballot, signature, wallet } = vote(n);
      if (recoverSigner(hashTypedData(ballot), signature, build) !== wallet) refuse();
    },
  });
  const viem: Row["work"] = async (n) => {
    const { ballot, signature, wallet } = vote(n);
    if (!(await verifyTypedData({ ...(ballot as object), address: wallet, signature } as never))) refuse();
  };
  const native = openNative();
  return [await openWasm(), ...(native === null ? [] : [native])].flatMap((build) => [
    [ours(build), { id: "P3", what: "sign-in", side: "siwe, parse and verify", work: siwe }],
    [
      ourVote(build),
      { id: "P3", what: "ballot", side: "viem, verifyTypedData", work: viem },
      { id: "P3", what: "ballot", side: "siwe, parse and verify a sign-in", work: siwe },
    ],
  ]);
}
