/** `npm run deploy -- roles`: a key for each role and the roles file, for a testnet that one person runs. */
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Address } from "viem";
import { findNetwork } from "../../deploy/networks.ts";
import { games } from "../../games/index.ts";
import { writeKey } from "../admin/keys.ts";
import { parseUrl } from "../cli/command.ts";
import { UsageError } from "../cli/failures.ts";
import { formatTable } from "../cli/style.ts";
import type { Terminal } from "../cli/terminal.ts";
import type { DeployFlags } from "./options.ts";

const HOLDERS = ["deployer", "admin", "guardian", "operator", "treasury", "identity", "score"] as const;

/** Writes `keys/*.key` and `roles.json` to a folder. Throws `UsageError` if they exist, or on a mainnet. */
export async function createTestnetRoles(flags: DeployFlags, out: string, terminal: Terminal): Promise<object> {
  const network = findNetwork(flags.network ?? "");
  if (network?.stage !== "testnet")
    throw new UsageError(
      `--network: expected a testnet for roles that one person holds, received "${flags.network ?? ""}"; elsewhere each role has its own holder (docs/operating.md)`,
    );
  if (flags["public-url"] === undefined)
    throw new UsageError("--public-url: expected the address of the service, such as http://127.0.0.1:4100");
  const publicUrl = parseUrl("public-url", flags["public-url"]);
  const rolesPath = join(out, "roles.json");
  const names: readonly string[] = [...HOLDERS, ...games.map(({ slug }) => slug)];
  const files = names.map((name) => join(out, "keys", `${name}.key`));
  const existing = [rolesPath, ...files].find((path) => existsSync(path));
  if (existing !== undefined)
    throw new UsageError(`--out: expected a new file, ${existing} exists; use another folder, or these roles`);
  const addresses = new Map<string, Address>();
  for (const [index, name] of names.entries()) addresses.set(name, await writeKey(files[index]!));
  const get = (name: string): Address => addresses.get(name)!;
  const roles = {
    ...Object.fromEntries(["admin", "guardian", "operator", "treasury"].map((name) => [name, get(name)])),
    signers: {
      identity: get("identity"),
      score: get("score"),
      nft: Object.fromEntries(games.map(({ slug }) => [slug, get(slug)])),
    },
    publicUrl,
  };
  await writeFile(rolesPath, `${JSON.stringify(roles, null, 2)}\n`, { flag: "wx" });
  const rows = names.map((name, index) => [name, get(name), `@${files[index]}`]);
  terminal.print(`\n${formatTable(["role", "address", "key"], rows, terminal.style)}\n\n  roles: ${rolesPath}`);
  terminal.print(`  send test ether to the deployer ${get("deployer")} and the operator ${get("operator")}`);
  return { rolesPath, addresses: Object.fromEntries(addresses) };
}
