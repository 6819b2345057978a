import { toIpKey } from "../domain/limits/address-keys.ts";
import type { ToolContext } from "./context.ts";
import type { ToolCaller } from "./slots.ts";

/** A player is identified by its wallet, anyone else by IP address. */
export async function findCaller(
  { client, token, address }: Pick<ToolContext, "client" | "token" | "address">,
  slug: string,
): Promise<ToolCaller> {
  if (client.wallet !== null) return { key: null, isPlayer: true };
  const guest = { key: address === null ? "unknown" : toIpKey(address), isPlayer: false };
  if (token === null) return guest;
  const session = await client.auth.session({ slug }, { token }).catch(() => null);
  return session?.agentId == null ? guest : { key: session.walletAddress, isPlayer: true };
}
