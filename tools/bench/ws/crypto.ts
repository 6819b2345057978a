/** The load of P9 beside the ticks: signatures and sign-ins at a steady rate, by the service's own code or by viem on the tick thread. */
import { hashTypedData, recoverMessageAddress, type TypedDataDefinition } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createLocalSigner } from "../../../backend/adapters/signer/signers.ts";
import { checkSignInMessage } from "../../../backend/domain/auth.ts";
import { formatSignInMessage, parseSignInMessage } from "../../../backend/domain/sign-in-message.ts";
import { createTypedData } from "../../../backend/domain/typed-data/messages.ts";
import type { Worker } from "../../../backend/ports/system.ts";

/** `viem`: signs and recovers on the thread of the ticks. */
export type CryptoMode = "none" | "service" | "viem";

export interface CryptoCounts {
  signatures: number;
  signIns: number;
}

const SIGNATURES_PER_SECOND = 1000;
const SIGN_INS_PER_SECOND = 200;

const account = privateKeyToAccount(generatePrivateKey());
const signer = createLocalSigner(generatePrivateKey());
const domain = "localhost:3000";
const origin = `http://${domain}`;
const issuedAtMs = Date.now();
const request = { address: account.address, statement: "Sign in.", chainId: 31337 };
const expected = {
  ...{ origins: [origin], path: "/x", statement: request.statement, chainId: request.chainId },
  ...{ wallet: account.address, nowMs: issuedAtMs },
};
const message = formatSignInMessage({
  ...request,
  ...{ origin, uri: `${origin}/x` },
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
      ...{ wallet: account.address, gameId: `0x${"11".repeat(32)}`, gameSessionHash: `0x${"22".repeat(32)}` },
      ...{ score: String(score), deadline: "1999999999" },
    },
  );

const createOperations = (mode: CryptoMode, worker: Worker) => ({
  sign: async (score: number): Promise<unknown> =>
    mode === "service"
      ? signer.sign(createPayload(score))
      : account.sign({ hash: hashTypedData(createPayload(score) as unknown as TypedDataDefinition) }),
  signIn: async (): Promise<unknown> => {
    checkSignInMessage(parseSignInMessage(message), expected);
    return mode === "service"
      ? worker.recoverMessage(message, signature)
      : recoverMessageAddress({ message, signature });
  },
});

/** Starts the load; the returned function stops it and returns its counts. */
export function startCrypto(mode: CryptoMode, worker: Worker): () => CryptoCounts {
  const done = { signatures: 0, signIns: 0 };
  if (mode === "none") return () => done;
  const { sign, signIn } = createOperations(mode, worker);
  const startedMs = performance.now();
  const started = { signatures: 0, signIns: 0 };
  const timer = setInterval(() => {
    const seconds = (performance.now() - startedMs) / 1000;
    for (; started.signatures < seconds * SIGNATURES_PER_SECOND; started.signatures++)
      void sign(started.signatures).then(() => done.signatures++);
    for (; started.signIns < seconds * SIGN_INS_PER_SECOND; started.signIns++) void signIn().then(() => done.signIns++);
  }, 1);
  return () => {
    clearInterval(timer);
    return { ...done };
  };
}
