/**
 * P3: the check of a sign-in and of a ballot, every field and the signature, beside siwe's own check. A check returns
 * the wallet, null if it refuses; a result is right when the check also refuses
 * the signature of another wallet.
 */
import { SiweMessage } from "siwe";
import { verifyTypedData } from "viem";
import { type Ecdsa, loadNative, loadWasm } from "../../../backend/adapters/signer/ecdsa.ts";
import { hashTypedData } from "../../../backend/adapters/signer/hash-typed-data.ts";
import { hashMessage, recoverSigner } from "../../../backend/adapters/signer/recover.ts";
import { createSigningKey } from "../../../backend/adapters/signer/secp256k1.ts";
import { checkSignInMessage } from "../../../domain/auth.ts";
import { formatSignInMessage, parseSignInMessage } from "../../../domain/sign-in-message.ts";
import { createBallot } from "../../../domain/voting.ts";
import { createIdleOperation, createOperationSide } from "../compare/operations.ts";
import type { Row } from "../compare/types.ts";
import { precompute } from "./payloads.ts";

/** A sign-in in both rows, since siwe knows no ballots. */
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

function createVote(n: number) {
  const key = createKey(n);
  const nonce = n.toString(16).padStart(32, "0");
  const ballot = createBallot(chainId, {
    walletAddress: key.address,
    gameSlug: "tidepool",
    voteSource: "ai_agent",
    nonce,
    cycleId: "3",
  });
  return { ballot, wallet: key.address, signature: key.signDigest(hashTypedData(ballot)) };
}

const signIn = precompute(createSignIn, 16_384);
const vote = precompute(createVote, 16_384);

/** Checks message `n` with the signature of message `signed`; returns the wallet, null when refused. */
type Check = (n: number, signed: number) => string | null | Promise<string | null>;

const checkWithSiwe: Check = async (n, signed) => {
  const { message, nonce, wallet } = signIn(n);
  const values = { signature: signIn(signed).signature, domain, nonce };
  const { success } = await new SiweMessage(message).verify(values, { suppressExceptions: true });
  return success ? wallet : null;
};

const checkWithViem: Check = async (n, signed) => {
  const { ballot, wallet } = vote(n);
  const { signature } = vote(signed);
  return (await verifyTypedData({ ...(ballot as object), address: wallet, signature } as never)) ? wallet : null;
};

const createSignInCheck =
  (build: Ecdsa): Check =>
  (n, signed) => {
    const { message, wallet, nowMs } = signIn(n);
    checkSignInMessage(parseSignInMessage(message), { ...expectation, wallet, nowMs });
    return recoverSigner(hashMessage(message), signIn(signed).signature, build) === wallet ? wallet : null;
  };

const createVoteCheck =
  (build: Ecdsa): Check =>
  (n, signed) => {
    const { ballot, wallet } = vote(n);
    return recoverSigner(hashTypedData(ballot), vote(signed).signature, build) === wallet ? wallet : null;
  };

/** The first check is ours. */
function createRow(what: string, checks: { readonly [side: string]: Check }, times: number, rounds: number): Row {
  const createIsRight = (check: Check) => async (n: number, wallet: string | null) =>
    wallet === signIn(n).wallet && (await check(n, n + 1)) === null;
  const [ours, ...peers] = Object.entries(checks).map(([name, check]) =>
    createOperationSide({ name, operate: (n) => check(n, n), isRight: createIsRight(check) }),
  );
  return {
    id: "P3",
    what,
    rounds,
    bars: [{ against: SIWE, times }],
    figure: { name: "CPU for each check", unit: "us", better: "lower" },
    sides: [ours!, ...peers],
    idle: createIdleOperation(createIsRight(() => null)),
  };
}

/** Two rows for each build that loads on this machine. */
export async function createVerifyRows(rounds: number): Promise<readonly Row[]> {
  const native = loadNative();
  return [await loadWasm(), ...(native === null ? [] : [native])].flatMap((build) => {
    const [name, times] = build.build === "wasm" ? (["WebAssembly", 7] as const) : (["native addon", 22] as const);
    const ourSignIn = createSignInCheck(build);
    const ourVote = createVoteCheck(build);
    return [
      createRow(`sign-in, ${name}`, { "Agent Arcade": ourSignIn, [SIWE]: checkWithSiwe }, times, rounds),
      createRow(
        `ballot, ${name}`,
        { "Agent Arcade": ourVote, "viem's verifyTypedData": checkWithViem, [SIWE]: checkWithSiwe },
        times,
        rounds,
      ),
    ];
  });
}
