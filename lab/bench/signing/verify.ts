/**
 * P3: checking a sign-in (every field and the signature) beside siwe's check. A check returns the wallet, or null if it
 * rejects. A result is right if the check also rejects the signature of another wallet.
 */
import { SiweMessage } from "siwe";
import { type Ecdsa, loadNative, loadWasm } from "../../../backend/adapters/signer/ecdsa.ts";
import { hashMessage, recoverSigner } from "../../../backend/adapters/signer/recover.ts";
import { createSigningKey } from "../../../backend/adapters/signer/secp256k1.ts";
import { checkSignInMessage } from "../../../domain/auth.ts";
import { formatSignInMessage, parseSignInMessage } from "../../../domain/sign-in-message.ts";
import { createIdleOperation, createOperationSide } from "../compare/operations.ts";
import type { Row } from "../compare/types.ts";
import { precompute } from "./payloads.ts";

const SIWE = "siwe's parse and verify";
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
  const nowMs = Date.now();
  const uri = `http://${domain}${path}`;
  const message = formatSignInMessage({
    origin: `http://${domain}`,
    address: key.address,
    statement,
    uri,
    chainId,
    nonce,
    issuedAt: new Date(nowMs).toISOString(),
    expirationTime: new Date(nowMs + 300_000).toISOString(),
  });
  return { message, nonce, wallet: key.address, nowMs, signature: key.signDigest(hashMessage(message)) };
}

const signIn = precompute(createSignIn, 16_384);

/** Checks message `n` with the signature of message `signed`. Returns the wallet, or null if rejected. */
type Check = (n: number, signed: number) => string | null | Promise<string | null>;

const checkWithSiwe: Check = async (n, signed) => {
  const { message, nonce, wallet } = signIn(n);
  const values = { signature: signIn(signed).signature, domain, nonce };
  const { success } = await new SiweMessage(message).verify(values, { suppressExceptions: true });
  return success ? wallet : null;
};

const createSignInCheck =
  (build: Ecdsa): Check =>
  (n, signed) => {
    const { message, wallet, nowMs } = signIn(n);
    checkSignInMessage(parseSignInMessage(message), { ...expectation, wallet, nowMs });
    return recoverSigner(hashMessage(message), signIn(signed).signature, build) === wallet ? wallet : null;
  };

const createIsRight = (check: Check) => async (n: number, wallet: string | null) =>
  wallet === signIn(n).wallet && (await check(n, n + 1)) === null;

const createSide = (name: string, check: Check) =>
  createOperationSide({ name, operate: (n) => check(n, n), isRight: createIsRight(check) });

/** With the native addon; with WebAssembly if it does not load. */
export async function createVerifyRow(rounds: number): Promise<Row> {
  const build = loadNative() ?? (await loadWasm());
  const isNative = build.build === "native";
  return {
    id: "P3",
    what: `sign-in, ${isNative ? "native addon" : "WebAssembly"}`,
    rounds,
    bars: [{ against: SIWE, times: isNative ? 22 : 7 }],
    figure: { name: "CPU for each check", unit: "us", better: "lower" },
    sides: [createSide("Agent Arcade", createSignInCheck(build)), createSide(SIWE, checkWithSiwe)],
    idle: createIdleOperation(createIsRight(() => null)),
  };
}
