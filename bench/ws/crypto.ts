/** What P9 runs beside the ticks: signatures and sign-ins at a steady rate, by the service's own parts or by viem on the tick thread. */
import { hashTypedData, recoverMessageAddress, type TypedDataDefinition } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createLocalSigner } from "../../backend/adapters/signer/index.ts";
import { checkSignInMessage } from "../../backend/domain/auth.ts";
import { makeTypedData } from "../../backend/domain/typed-data.ts";
import type { Worker } from "../../backend/ports.ts";
import { parseMessage, writeMessage } from "../../backend/services/sign-in-message.ts";

/** `viem`: what a server does that signs and recovers where it ticks. */
export type CryptoBy = "nobody" | "service" | "viem";

export interface CryptoDone {
  signatures: number;
  signIns: number;
}

const SIGNATURES_PER_SECOND = 1000;
const SIGN_INS_PER_SECOND = 200;

const account = privateKeyToAccount(generatePrivateKey());
const signer = createLocalSigner(generatePrivateKey());
const domain = "localhost:3000";
const origin = `http://${domain}`;
const expected = { domains: [domain], origins: [origin], chainId: 31337, wallet: account.address };
const message = writeMessage({
  ...{ origin, address: account.address, statement: "Sign in.", uri: `${origin}/x`, chainId: 31337 },
  nonce: "0".repeat(32),
  issuedAt: new Date().toISOString(),
  expirationTime: new Date(Date.now() + 3_600_000).toISOString(),
});
const signature = await account.signMessage({ message });
const payloadOf = (score: number) =>
  makeTypedData(
    "Snapshot",
    { chainId: 31337, verifyingContract: account.address },
    {
      ...{ wallet: account.address, gameId: `0x${"11".repeat(32)}`, gameSessionHash: `0x${"22".repeat(32)}` },
      ...{ score: String(score), deadline: "1999999999" },
    },
  );

const works = (by: CryptoBy, worker: Worker) => ({
  sign: async (score: number): Promise<unknown> =>
    by === "service"
      ? signer.sign(payloadOf(score))
      : account.sign({ hash: hashTypedData(payloadOf(score) as unknown as TypedDataDefinition) }),
  signIn: async (): Promise<unknown> => {
    checkSignInMessage(parseMessage(message), { ...expected, nowMs: Date.now() });
    return by === "service" ? worker.recoverMessage(message, signature) : recoverMessageAddress({ message, signature });
  },
});

/** Starts the work; the answer stops it and tells how much was done. */
export function startCrypto(by: CryptoBy, worker: Worker): () => CryptoDone {
  const done = { signatures: 0, signIns: 0 };
  if (by === "nobody") return () => done;
  const { sign, signIn } = works(by, worker);
  const startedMs = performance.now();
  const asked = { signatures: 0, signIns: 0 };
  const timer = setInterval(() => {
    const seconds = (performance.now() - startedMs) / 1000;
    for (; asked.signatures < seconds * SIGNATURES_PER_SECOND; asked.signatures++)
      void sign(asked.signatures).then(() => done.signatures++);
    for (; asked.signIns < seconds * SIGN_INS_PER_SECOND; asked.signIns++) void signIn().then(() => done.signIns++);
  }, 1);
  return () => {
    clearInterval(timer);
    return { ...done };
  };
}
