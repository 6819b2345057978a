/** The whole service on one machine: embedded chain, contracts, backend. `npm start` and the tests run the same one. */
import { mkdir } from "node:fs/promises";
import type { Hash } from "viem";
import { type LocalChain, startLocalChain } from "../../backend/adapters/chain/local-chain.ts";
import { type App, startApp } from "../../backend/app.ts";
import type { Config, Secrets } from "../../backend/config/config.ts";
import {
  type DevelopmentAccount,
  developmentAccount,
  developmentServiceAccount,
} from "../../backend/config/dev-keys.ts";
import { type GameList, gameList } from "../../backend/games/index.ts";
import type { Clock, Deployment, Log } from "../../backend/ports.ts";
import { deployLocal } from "../../deploy/deploy.ts";

export interface Stack {
  readonly app: App;
  readonly chain: LocalChain;
  readonly deployment: Deployment;
  /** Funded players; none of them can sign for the service. */
  readonly accounts: readonly DevelopmentAccount[];
  /** As `App.close`, then the chain. */
  close(options?: { readonly lingerMs?: number }): Promise<void>;
}

export interface StackOptions {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly log: Log;
  readonly webDir: string | null;
  readonly fresh?: boolean;
  readonly clock?: Clock;
  readonly pollMs?: number;
  /** The games to deploy and serve, the built-in ones when left out. */
  readonly gameList?: GameList;
  /** Told before and after each step. */
  readonly step?: <T>(title: string, run: () => Promise<T>) => Promise<T>;
}

const PLAYER_COUNT = 10;

/** Keys of the service: the configured ones, else the local chain's own. */
export function localKeys(secrets: Secrets, { games }: Pick<GameList, "games"> = gameList) {
  const key = (configured: `0x${string}` | null | undefined, offset: number): `0x${string}` =>
    configured ?? developmentServiceAccount(offset).privateKey;
  return {
    admin: developmentServiceAccount(0).privateKey,
    guardian: developmentServiceAccount(1).privateKey,
    operator: key(secrets.operator, 2),
    identity: key(secrets.identitySigner, 3),
    score: key(secrets.scoreSigner, 4),
    nft: Object.fromEntries(games.map(({ slug }, index) => [slug, key(secrets.nftSigners[slug], 5 + index)])),
  };
}

export async function startStack(options: StackOptions): Promise<Stack> {
  const { config, log } = options;
  const step = options.step ?? ((_, run) => run());
  const accounts = Array.from({ length: PLAYER_COUNT }, (_, index) => developmentAccount(index));
  const served = options.gameList ?? gameList;
  const { games } = served;
  const keys = localKeys(options.secrets, served);
  await mkdir(config.dataDir, { recursive: true });

  const chain = await step("local chain", () =>
    startLocalChain({
      dataDir: config.dataDir,
      port: config.rpcPort,
      whenBusy: config.rpcPortIsSet ? "fail" : "next",
      fresh: options.fresh ?? false,
      accounts: [...accounts, developmentServiceAccount(0), developmentServiceAccount(2)],
    }),
  );
  try {
    const deploy = (publicUrl: string) =>
      deployLocal({ rpcUrl: chain.rpcUrl, keys, path: config.deploymentPath, publicUrl, games, whenChanged: "fail" });
    const plannedUrl = config.publicUrl ?? `http://${config.host}:${config.port}`;
    const { deployment } = await step("contracts", () => deploy(plannedUrl));
    const faucetSender = developmentServiceAccount(0).address;
    const app = await step("backend", () =>
      startApp({
        config,
        keys,
        rpcUrl: chain.rpcUrl,
        deployment,
        log,
        webDir: options.webDir,
        gameList: served,
        faucet: async (to, wei) =>
          (await chain.request("eth_sendTransaction", [
            { from: faucetSender, to, value: `0x${wei.toString(16)}` },
          ])) as Hash,
        ...(options.clock === undefined ? {} : { clock: options.clock }),
        ...(options.pollMs === undefined ? {} : { pollMs: options.pollMs }),
      }),
    );
    // Another port than planned was taken: the tokens' metadata is served there now.
    if (config.publicUrl === null && app.httpUrl !== plannedUrl) await deploy(app.httpUrl);
    return {
      app,
      chain,
      deployment,
      accounts,
      close: async (options) => {
        await app.close(options);
        await chain.close();
      },
    };
  } catch (fault) {
    await chain.close();
    throw fault;
  }
}
