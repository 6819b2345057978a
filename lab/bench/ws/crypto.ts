/** The load of P9 beside the ticks: signatures and sign-ins at a steady rate, by the service's own code or by viem on the tick thread. */
import { hashTypedData, recoverMessageAddress, type TypedDataDefinition } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createLocalSigner } from "../../../backend/adapters/signer/signers.ts";
import type { Worker } from "../../../backend/ports/system.ts";
import { checkSignInMessage } from "../../../domain/auth.ts";
import { formatSignInMessage, parseSignInMessage } from "../../../domain/sign-in-message.ts";
import { createTypedData } from "../../../domain/typed-data/messages.ts";

/** `viem`: signs and recovers on the thread of the ticks. `idle`: the idle side, which has no results. */
export type CryptoMode = "none" | "service" | "viem" | "idle";

/** Right results only. */
export interface CryptoCounts {
  signatures: number;
  signIns: number;
}

export const SIGNATURES_PER_SECOND = 1000;
export const SIGN_INS_PER_SECOND = 200;
/** Every so manieth signature is compared with that of viem after the load. */
const CHECKED_SIGNATURE = 100;

const privateKey = generatePrivateKey();
const account = privateKeyToAccount(privateKey);
const signer = createLocalSigner(privateKey);
const domain = "localhost:3000";
const origin = `http://${domain}`;
const issuedAtMs = Date.now();
const request = { address: account.address, statement: "Sign in.", chainId: 31337 };
const expected = {
  origins: [origin],
  path: "/x",
  statement: request.statement,
  chainId: request.chainId,
  wallet: account.address,
  nowMs: issuedAtMs,
};
const message = formatSignInMessage({
  ...request,
  origin,
  uri: `${origin}/x`,
  nonce: "0".repeat(32),
  issuedAt: new Date(issuedAtMs).toISOString(),
  expirationTime: new Date(issuedAtMs + 300_000).toISOString(),
});
const signature = await account.signMessage({ message });
const createPayload = (score: number) =>
  createTypedData(
    "Snapshot",
    { chainId: 31337, verifyingContract: account.address },
    {
      wallet: account.address,
      gameId: `0x${"11".repeat(32)}`,
      gameSessionHash: `0x${"22".repeat(32)}`,
      score: String(score),
      deadline: "1999999999",
    },
  );

const signWithViem = (score: number): Promise<string> =>
  account.sign({ hash: hashTypedData(createPayload(score) as unknown as TypedDataDefinition) });

interface Operations {
  sign(score: number): Promise<string>;
  /** The wallet that signed the message. */
  signIn(): Promise<string | null>;
}

function createOperations(mode: Exclude<CryptoMode, "none">, worker: Worker): Operations {
  if (mode === "idle") return { sign: async () => "", signIn: async () => null };
  const recover = mode === "service" ? worker.recoverMessage.bind(worker, message, signature) : null;
  return {
    sign: async (score) =>
      recover === null ? signWithViem(score) : (await signer.sign(createPayload(score))).signature,
    signIn: async () => {
      checkSignInMessage(parseSignInMessage(message), expected);
      return recover === null ? recoverMessageAddress({ message, signature }) : recover();
    },
  };
}

/** Starts the load; the returned function stops it and counts the right results. */
export function startCrypto(mode: CryptoMode, worker: Worker): () => Promise<CryptoCounts> {
  const done = { signatures: 0, signIns: 0 };
  if (mode === "none") return async () => done;
  const { sign, signIn } = createOperations(mode, worker);
  const startedMs = performance.now();
  const started = { signatures: 0, signIns: 0 };
  const samples: { readonly score: number; readonly signature: string }[] = [];
  const signOnce = async (score: number): Promise<void> => {
    const signed = await sign(score);
    if (signed.length === signature.length) done.signatures += 1;
    if (score % CHECKED_SIGNATURE === 0) samples.push({ score, signature: signed });
  };
  const signInOnce = async (): Promise<void> => {
    if ((await signIn())?.toLowerCase() === account.address.toLowerCase()) done.signIns += 1;
  };
  const timer = setInterval(() => {
    const seconds = (performance.now() - startedMs) / 1000;
    for (; started.signatures < seconds * SIGNATURES_PER_SECOND; started.signatures++)
      void signOnce(started.signatures);
    for (; started.signIns < seconds * SIGN_INS_PER_SECOND; started.signIns++) void signInOnce();
  }, 1);
  return async () => {
    clearInterval(timer);
    const counts = { ...done };
    for (const sample of samples) {
      if (sample.signature !== (await signWithViem(sample.score))) counts.signatures -= CHECKED_SIGNATURE;
    }
    return { ...counts, signatures: Math.max(0, counts.signatures) };
  };
}
