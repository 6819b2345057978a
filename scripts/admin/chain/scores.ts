/** Scores on chain: annul a game NFT's record, cancel a session, restore one. */
import type { Address, Hex } from "viem";
import { createCall } from "../../../deploy/admin/calls.ts";
import { defineCommand } from "../../cli/command.ts";
import { CommandError, UsageError } from "../../cli/failures.ts";
import { readView } from "./read.ts";
import { runChainCommand } from "./run.ts";
import { CHAIN_FLAGS, parseAddress, selectContract } from "./target.ts";

const SESSION_ARGUMENTS = {
  wallet: { help: "the player's wallet" },
  hash: { value: "SESSION_HASH", help: "gameSessionHash of the session (0x and 64 hex digits)" },
} as const;

function parseHash(text: string): Hex {
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) return text as Hex;
  throw new UsageError(`SESSION_HASH: expected 0x and 64 hex digits, received "${text}"`);
}

const annul = defineCommand({
  name: "chain annul",
  args: { tokenId: { value: "TOKEN_ID", help: "the token, which has the agent's number" } },
  summary: "sets score and tier of a game NFT to zero, for a record that a leaked key made; guardian or admin",
  flags: { game: { type: "string", value: "SLUG", help: "the game" }, ...CHAIN_FLAGS },
  examples: ["npm run admin -- chain annul 7 --game flappybots --network baseSepolia"],
  async run({ flags, args }, terminal) {
    const { game } = flags;
    if (game === undefined) throw new UsageError("--game: expected the game's slug");
    if (!/^\d{1,78}$/.test(args.tokenId))
      throw new UsageError(`TOKEN_ID: expected a number, received "${args.tokenId}"`);
    const tokenId = BigInt(args.tokenId);
    return runChainCommand("Annul a record", flags, terminal, async (target) => {
      const contract = selectContract(target, `nft.${game}`);
      const owner = await readView<Address>(target, contract, "ownerOf", [tokenId]).catch(() => null);
      if (owner === null) throw new CommandError(`There is no token ${tokenId} of ${contract.name}.`);
      const { score, tier } = await readView<{ score: bigint; tier: number }>(target, contract, "recordOf", [tokenId]);
      if (score === 0n) return { calls: [], notes: [`Nothing to do: token ${tokenId} has no score.`] };
      const change = {
        what: `${contract.name} token ${tokenId} of ${owner}: score`,
        from: `${score} (tier ${tier})`,
        to: "0",
      };
      return {
        calls: [createCall(contract, "annul", [tokenId], { powers: ["guardian", "admin"], change })],
        notes: [
          "The token stays with its owner; the agent's next signed score upgrades it.",
          "A signature of an upgrade that is still valid (the service's for ten minutes, one made with a leaked key for a day) brings it back: revoke the signer first, or run the command again after that.",
        ],
      };
    });
  },
});

const cancel = defineCommand({
  name: "chain cancel",
  args: SESSION_ARGUMENTS,
  summary: "cancels a session whose score was signed and is not on chain yet: it never counts; guardian or admin",
  flags: CHAIN_FLAGS,
  examples: ["npm run admin -- chain cancel 0xWALLET 0xSESSION_HASH --network baseSepolia"],
  async run({ flags, args }, terminal) {
    const session = [parseAddress("WALLET", args.wallet), parseHash(args.hash)] as const;
    return runChainCommand("Cancel a session", flags, terminal, async (target) => {
      const contract = selectContract(target, "rewards");
      if (await readView<boolean>(target, contract, "isSessionConsumed", session)) {
        return { calls: [], notes: ["Nothing to do: the session was added to the scorebank or cancelled before."] };
      }
      const change = { what: `session ${session[1]} of ${session[0]}`, from: "may be added", to: "cancelled" };
      return {
        calls: [createCall(contract, "cancelSession", session, { powers: ["guardian", "admin"], change })],
        notes: [],
      };
    });
  },
});

const restore = defineCommand({
  name: "chain restore",
  args: SESSION_ARGUMENTS,
  summary: "lets a cancelled session count again; admin only",
  flags: CHAIN_FLAGS,
  examples: ["npm run admin -- chain restore 0xWALLET 0xSESSION_HASH --network baseSepolia"],
  async run({ flags, args }, terminal) {
    const session = [parseAddress("WALLET", args.wallet), parseHash(args.hash)] as const;
    return runChainCommand("Restore a session", flags, terminal, async (target) => {
      const contract = selectContract(target, "rewards");
      if (!(await readView<boolean>(target, contract, "isSessionConsumed", session))) {
        return { calls: [], notes: ["Nothing to do: the session is not cancelled."] };
      }
      const change = { what: `session ${session[1]} of ${session[0]}`, from: "cancelled", to: "may be added" };
      return { calls: [createCall(contract, "restoreSession", session, { powers: ["admin"], change })], notes: [] };
    });
  },
});

export const SCORE_COMMANDS = [annul, cancel, restore];
