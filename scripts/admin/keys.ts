/** The service's keys: addresses, balances, and whether the contracts know them. Never a key itself. */
import { formatEther } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { checkForChain, readConfig, readSecrets } from "../../backend/config/config.ts";
import type { Address, ChainReader } from "../../backend/ports.ts";
import { EXIT } from "../cli/failures.ts";
import { table } from "../cli/style.ts";
import { none, RPC_FLAG, withChain } from "./place.ts";
import { defineSubcommand } from "./subcommand.ts";

/** The whole stack hangs on that module; no other command of the operator should wait for it. */
type LocalKeys = typeof import("../start/stack.ts").localKeys;

interface Duty {
  readonly duty: string;
  readonly address: Address;
  readonly contract: Address;
  hasRole(chain: ChainReader): Promise<boolean>;
}

function dutiesOf(chain: ChainReader, keys: ReturnType<LocalKeys>): readonly Duty[] {
  const { identity, rewards, nft } = chain.deployment;
  const signer = (duty: string, key: Address, contract: Address): Duty => {
    const address = privateKeyToAddress(key);
    return { duty, address, contract, hasRole: (on) => on.isSigner(contract, address) };
  };
  const operator = privateKeyToAddress(keys.operator);
  return [
    signer("identity signer", keys.identity, identity),
    signer("score signer", keys.score, rewards),
    ...Object.entries(nft).flatMap(([slug, contract]) => {
      const key = keys.nft[slug];
      return key === undefined ? [] : [signer(`NFT signer ${slug}`, key, contract)];
    }),
    { duty: "operator", address: operator, contract: rewards, hasRole: (on) => on.isOperator(operator) },
  ];
}

const status = defineSubcommand({
  path: "keys status",
  summary: "shows signers and operator: addresses, balances, and whether their contracts accept them",
  flags: { ...RPC_FLAG },
  example: "keys status --json",
  async run({ flags, positionals }, terminal) {
    none(positionals);
    const config = readConfig();
    const secrets = readSecrets();
    const { localKeys } = await import("../start/stack.ts");
    const keys = await withChain(flags, config, async (chain, rpc) => {
      checkForChain(config, secrets, chain.deployment.chainId);
      return Promise.all(
        dutiesOf(chain, localKeys(secrets)).map(async ({ duty, address, contract, hasRole }) => ({
          duty,
          address,
          contract,
          hasRole: await hasRole(chain),
          balanceWei: (await rpc.guard((client) => client.getBalance({ address }))).toString(),
        })),
      );
    });
    const { style } = terminal;
    const cells = keys.map(({ duty, address, contract, hasRole, balanceWei }) => [
      duty,
      address,
      formatEther(BigInt(balanceWei)),
      hasRole ? style.good("yes") : style.bad("no"),
      contract,
    ]);
    terminal.say(table(["duty", "address", "ether", "role", "contract"], cells, style, [2]));
    const well = keys.every(({ hasRole }) => hasRole);
    terminal.answer({ ok: well, keys });
    return well ? EXIT.ok : EXIT.fault;
  },
});

export const KEY_COMMANDS = [status];
