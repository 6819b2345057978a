/**
 * 1,000 fresh wallets, each from a different address, request sponsored identity mints. What may never happen: relays
 * use more gas than the daily limits (by the gas limits of their transactions, as the service counts them; receipts
 * are not read), or a player with a verified score gets no relay.
 * `DRILL_SELF_TEST=1` lifts the bounds; the drill has to fail then.
 */
import { expect } from "chai";
import { createPublicClient, createWalletClient, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import {
  type ArcadeClient,
  createClient,
  fromViem,
  isApiError,
  registerAgent,
  snapshotScore,
} from "../../client/index.ts";
import { startTestStack, type TestStack } from "../../test/helpers/suite.ts";
import { addEndedSession } from "../../testing/ended-session.ts";
import { IS_SELF_TEST, PATIENT_WITH_CHAIN, printFigures, scaleCount } from "./support/drill.ts";

const WALLETS = scaleCount(1000);
/** Wallets that send requests at once. */
const AT_ONCE = 20;
const GAS_PER_DAY = 1_600_000;
const SLUG = "shellrunners";

/** A different address for each number, each in a different /24. */
const toAddress = (number: number): string => `10.${number >> 8}.${number & 255}.1`;

describe("an attack of fresh wallets on the operator's gas", function () {
  this.timeout(600_000);
  let stack: TestStack;
  before(async () => {
    stack = await startTestStack({
      env: {
        ARCADE_RATE_LIMITS: "on",
        ARCADE_TRUST_PROXY: "true",
        ...PATIENT_WITH_CHAIN,
        ARCADE_SPONSOR_GAS_PER_DAY: String(IS_SELF_TEST ? 1e12 : GAS_PER_DAY),
      },
    });
  });
  after(() => stack.close());

  function createAttacker(number: number): { readonly address: `0x${string}`; readonly client: ArcadeClient } {
    const account = privateKeyToAccount(generatePrivateKey());
    const transport = http(stack.chain.rpcUrl);
    const publicClient = createPublicClient({ chain: hardhat, transport });
    const wallet = fromViem(createWalletClient({ account, chain: hardhat, transport }), publicClient as never);
    const client = createClient({
      baseUrl: stack.httpUrl,
      wallet,
      fetch: (url, init) =>
        fetch(url, { ...init, headers: { ...init?.headers, "X-Forwarded-For": toAddress(number) } as HeadersInit }),
    });
    return { address: account.address, client };
  }

  it("uses no more gas than the daily limits, and leaves the share of players untouched", async () => {
    const counts: { [outcome: string]: number } = {};
    const winners: ReturnType<typeof createAttacker>[] = [];
    const count = (outcome: string): void => {
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    };
    let next = 0;
    const attack = async (): Promise<void> => {
      for (let number = next++; number < WALLETS; number = next++) {
        const attacker = createAttacker(number);
        try {
          await registerAgent({ client: attacker.client, agentName: "Drain", sponsor: true });
          winners.push(attacker);
          count("paid");
        } catch (error) {
          if (!isApiError(error)) throw error;
          count(error.code);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, attack));

    const chain = createPublicClient({ chain: hardhat, transport: http(stack.chain.rpcUrl) });
    const { relays } = stack.app.services;
    const { sponsorship } = await relays.getGates();
    const taken = sponsorship.enabled ? sponsorship.gasPerDay - sponsorship.left.gas : 0;
    printFigures({ wallets: WALLETS, ...counts, "gas taken": taken });
    expect(taken, "gas of identities").to.be.at.most(GAS_PER_DAY / 2);
    expect(counts.paid, "identities").to.be.greaterThan(0);
    expect(Object.keys(counts)).to.have.members(["paid", "SPONSORSHIP_EXHAUSTED"]);

    const [player] = winners;
    const { sessionId } = await addEndedSession(stack, { wallet: player!.address, slug: SLUG, minScore: 1 });
    const snapshot = await snapshotScore({ client: player!.client, sessionId, sponsor: true });
    expect(snapshot.mode).to.equal("recorded");
    expect(await chain.getTransactionCount({ address: player!.address })).to.equal(0);
  });
});
