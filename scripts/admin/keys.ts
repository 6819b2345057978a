/** Creates keys in files, and shows the service's keys and whether the contracts accept them. Never prints a key. */
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Address } from "viem";
import { formatEther } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { connectStore } from "../../backend/app/connect.ts";
import { checkForChain } from "../../backend/config/config.ts";
import { getServiceKeys, type ServiceKeys } from "../../backend/config/service-keys.ts";
import type { ChainReader, RoleHolder } from "../../backend/ports/chain.ts";
import { getKeyAddress, type KeySource } from "../../domain/keys.ts";
import { defineCommand } from "../cli/command.ts";
import { CommandError, EXIT, UsageError } from "../cli/failures.ts";
import { RPC_FLAG } from "../cli/node.ts";
import { readServiceConfigAndSecrets } from "../cli/service-config.ts";
import { formatTable } from "../cli/style.ts";
import { resolveUserPath } from "../cli/user-paths.ts";
import { withChain } from "./context.ts";

interface KeyRole extends RoleHolder {
  readonly duty: string;
}

function listKeyRoles({ deployment }: ChainReader, keys: ServiceKeys): readonly KeyRole[] {
  const { identity, rewards, nft } = deployment;
  const signer = (duty: string, key: KeySource, contract: Address): KeyRole => ({
    ...{ duty, role: "signer", contract },
    account: getKeyAddress(key),
  });
  return [
    signer("identity signer", keys.identity, identity),
    signer("score signer", keys.score, rewards),
    ...Object.entries(nft).flatMap(([slug, contract]) => {
      const key = keys.nft[slug];
      return key === undefined ? [] : [signer(`NFT signer ${slug}`, key, contract)];
    }),
    { duty: "operator", role: "operator", contract: rewards, account: getKeyAddress(keys.operator) },
  ];
}

const status = defineCommand({
  name: "keys status",
  summary: "shows signers and operator: addresses, balances, and whether the contracts accept them",
  flags: { ...RPC_FLAG },
  examples: ["npm run admin -- keys status --json"],
  async run({ flags }, terminal) {
    const { config, secrets } = readServiceConfigAndSecrets();
    const store = await connectStore(config);
    const keys = await withChain(flags, config, store, async ({ reader, getBalance }) => {
      checkForChain(config, secrets, reader.deployment.chainId);
      const roles = listKeyRoles(reader, getServiceKeys(secrets));
      const isAccepted = await reader.checkRoles(roles);
      return Promise.all(
        roles.map(async ({ duty, account, contract }, index) => ({
          ...{ duty, address: account, contract, hasRole: isAccepted[index]! },
          balanceWei: (await getBalance(account)).toString(),
        })),
      );
    }).finally(() => store?.close());
    const { style } = terminal;
    const cells = keys.map(({ duty, address, contract, hasRole, balanceWei }) => [
      duty,
      address,
      formatEther(BigInt(balanceWei)),
      hasRole ? style.good("yes") : style.bad("no"),
      contract,
    ]);
    terminal.print(formatTable(["key", "address", "ether", "accepted", "contract"], cells, style, [2]));
    const allAccepted = keys.every(({ hasRole }) => hasRole);
    terminal.printJson({ ok: allAccepted, keys });
    return allAccepted ? EXIT.ok : EXIT.error;
  },
});

/** Writes a new key, and returns its address. */
export async function writeKey(file: string): Promise<Address> {
  const key = generatePrivateKey();
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // "wx": never replace a key that another process writes at the same moment.
  await writeFile(file, `${key}\n`, { mode: 0o600, flag: "wx" });
  return privateKeyToAddress(key);
}

const create = defineCommand({
  name: "keys create",
  summary: "writes a new key into each file, readable by you only, and prints its address",
  args: { files: { value: "FILE", help: "new files, one per key", count: "any" } },
  examples: ["npm run admin -- keys create keys/score.key keys/operator.key"],
  async run({ args }, terminal) {
    const paths = args.files.map((file) => resolveUserPath(file));
    if (paths.length === 0) throw new UsageError("FILE: expected at least one");
    const existing = paths.find((path) => existsSync(path));
    if (existing !== undefined) throw new UsageError(`FILE: expected a new file, ${existing} exists`);
    const repeated = paths.find((path, index) => paths.indexOf(path) !== index);
    if (repeated !== undefined) throw new UsageError(`FILE: expected different files, received ${repeated} twice`);
    const keys: { readonly file: string; readonly address: Address }[] = [];
    try {
      for (const file of paths) keys.push({ file, address: await writeKey(file) });
    } catch (error) {
      const message = `${paths[keys.length]}: the key cannot be written (${(error as NodeJS.ErrnoException).code})`;
      const next =
        keys.length === 0 ? "give another file" : "the listed keys were written; give other files for the rest";
      throw new CommandError(message, { next, cause: error });
    } finally {
      const cells = keys.map(({ file, address }) => [address, `@${file}`]);
      if (keys.length > 0) terminal.print(formatTable(["address", "as a setting"], cells, terminal.style));
    }
    return { keys };
  },
});

export const KEY_COMMANDS = [create, status];
