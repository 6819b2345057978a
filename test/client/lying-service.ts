/** A client of a service behind a proxy that changes its answers, and a record of the wallet's actions. */
import { expect } from "chai";
import { type ArcadeClient, createClient } from "../../client/client.ts";
import type { ArcadeContracts } from "../../client/contracts.ts";
import { ArcadeChainError } from "../../client/errors.ts";
import type { ArcadeWallet } from "../../client/wallet.ts";
import { createPlayer } from "../../testing/player.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";
import { startLyingProxy } from "./lying-proxy.ts";

export const THIEF = "0x000000000000000000000000000000000000dEaD";
export const slug = "shellrunners";

// biome-ignore lint/suspicious/noExplicitAny: the JSON of any answer
export type Body = any;

export interface LyingService {
  proxy: Awaited<ReturnType<typeof startLyingProxy>>;
  stack: TestStack;
  contracts: ArcadeContracts;
  /** The messages and primary types that the wallet signed. */
  signed: string[];
  /** The functions that the wallet called. */
  sent: string[];
  wallet: ArcadeWallet;
  client: ArcadeClient;
}

export async function getError<T extends Error>(
  type: new (...args: never[]) => T,
  operation: Promise<unknown>,
): Promise<T> {
  const error = await operation.then(
    () => null,
    (error: unknown) => error,
  );
  expect(error, String(error)).to.be.instanceOf(type);
  return error as T;
}

/** The service of a suite, with a fresh wallet for each test. Its fields are set before the first test. */
export function useLyingService(): LyingService {
  const world = {} as LyingService;
  before(async () => {
    world.proxy = await startLyingProxy();
    world.stack = await startTestStack({ env: { ARCADE_PUBLIC_URL: world.proxy.url } });
    world.proxy.forwardTo(world.stack.httpUrl);
    const { chainId, identity, rewards, nft } = world.stack.deployment;
    world.contracts = { chainId, identity, rewards, nft };
  });
  after(async () => {
    await world.proxy.close();
    await world.stack.close();
  });
  beforeEach(async () => {
    const { proxy, stack, contracts } = world;
    proxy.tellTheTruth();
    const [signed, sent]: [string[], string[]] = [[], []];
    const { wallet: real } = await createPlayer(stack);
    const wallet: ArcadeWallet = {
      ...real,
      signMessage: (message) => {
        signed.push(message);
        return real.signMessage(message);
      },
      signTypedData: (typedData) => {
        signed.push(typedData.primaryType);
        return real.signTypedData!(typedData);
      },
      sendCall: (call) => {
        sent.push(call.functionName);
        return real.sendCall(call);
      },
    };
    const client = createClient({ baseUrl: proxy.url, wallet, contracts, retry: { retries: 0 } });
    Object.assign(world, { signed, sent, wallet, client });
  });
  return world;
}

/** The flow rejects the lie about `field` and sends nothing. The truth passes afterwards. */
export async function expectRefusal(
  { sent }: Pick<LyingService, "sent">,
  operation: () => Promise<unknown>,
  field: string,
): Promise<void> {
  const error = await getError(ArcadeChainError, operation());
  expect(error.code, error.message).to.equal("CALL_REFUSED");
  expect(error.mismatch?.field, error.message).to.equal(field);
  expect(error.mismatch?.expected).to.not.equal(error.mismatch?.received);
  expect(sent).to.deep.equal([]);
}
