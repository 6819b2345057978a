/** Scores on chain: cancel sessions, void points, annul records of game NFTs, and undo these. */
import { readFileSync } from "node:fs";
import type { Address, Hex } from "viem";
import { type AdminCall, createCall, type NamedContract, type Power } from "../../../deploy/admin/calls.ts";
import { defineCommand } from "../../cli/command.ts";
import { CommandError, UsageError } from "../../cli/failures.ts";
import { resolveUserPath } from "../../cli/user-paths.ts";
import { readView } from "./read.ts";
import { runChainCommand } from "./run.ts";
import { CHAIN_FLAGS, type ChainTarget, parseAddress, selectContract } from "./target.ts";

/** Items per call: about 8 million gas, half of what a transaction may use (EIP-7825). */
const ITEMS_PER_CALL = 200;
const GUARD: readonly Power[] = ["guardian", "admin"];

function readLines(name: string, path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch (cause) {
    throw new UsageError(`${name}: expected a file with one a line, received ${path}: ${(cause as Error).message}`);
  }
}

/** The items of a command; `@FILE` stands for the items in a file, one per line. Throws `UsageError`. */
function readItems(name: string, args: readonly string[]): readonly string[] {
  const items = args.flatMap((arg) => (arg.startsWith("@") ? readLines(name, resolveUserPath(arg.slice(1))) : [arg]));
  const given = items.map((item) => item.trim()).filter((item) => item !== "");
  if (given.length > 0) return given;
  throw new UsageError(`${name}: expected at least one, or @FILE with one a line`);
}

/** The address before the colon, and what comes after it. */
function parsePair(name: string, item: string, pattern: RegExp, expected: string): readonly [Address, string] {
  const [wallet = "", value = "", ...rest] = item.split(":");
  if (rest.length > 0 || !pattern.test(value))
    throw new UsageError(`${name}: expected ${expected}, received "${item}"`);
  return [parseAddress(name, wallet), value];
}

/** One call for each part of a long list. */
function createCalls<T>(
  contract: NamedContract,
  functionName: string,
  list: readonly T[],
  powers: readonly Power[],
  describe: (part: readonly T[]) => AdminCall["change"],
): readonly AdminCall[] {
  const parts = Array.from({ length: Math.ceil(list.length / ITEMS_PER_CALL) }, (_, index) =>
    list.slice(index * ITEMS_PER_CALL, (index + 1) * ITEMS_PER_CALL),
  );
  return parts.map((part) => createCall(contract, functionName, [part], { powers, change: describe(part) }));
}

async function readRecord(target: ChainTarget, contract: NamedContract, tokenId: bigint) {
  const owner = await readView<Address>(target, contract, "ownerOf", [tokenId]).catch(() => null);
  if (owner === null) throw new CommandError(`${contract.name} has no token ${tokenId}.`);
  const { score } = await readView<{ score: bigint }>(target, contract, "recordOf", [tokenId]);
  return { tokenId, score };
}

const annul = defineCommand({
  name: "chain annul",
  args: { tokenIds: { value: "TOKEN_ID", count: "any", help: "token ids, which are the agents' ids; or @FILE" } },
  summary: "sets score and tier of game NFTs to zero, for records made with a leaked key; guardian or admin",
  flags: { game: { type: "string", value: "SLUG", help: "the game" }, ...CHAIN_FLAGS },
  examples: ["npm run admin -- chain annul 7 8 --game flappybots --network baseSepolia"],
  async run({ flags, args }, terminal) {
    const { game } = flags;
    if (game === undefined) throw new UsageError("--game: expected the game's slug");
    const ids = readItems("TOKEN_ID", args.tokenIds).map((item) => {
      if (/^\d{1,78}$/.test(item)) return BigInt(item);
      throw new UsageError(`TOKEN_ID: expected a number, received "${item}"`);
    });
    return runChainCommand("Annul records", flags, terminal, async (target) => {
      const contract = selectContract(target, `nft.${game}`);
      const records = await Promise.all(ids.map((id) => readRecord(target, contract, id)));
      const scored = records.filter(({ score }) => score > 0n);
      if (scored.length === 0) return { calls: [], notes: ["Nothing to do: none of the tokens has a score."] };
      const ofToken = new Map(scored.map(({ tokenId, score }) => [tokenId, score]));
      const calls = createCalls(contract, "annul", [...ofToken.keys()], GUARD, (part) => ({
        what: `${contract.name}: score of ${part.map((id) => `token ${id}`).join(", ")}`,
        from: part.map((id) => ofToken.get(id)).join(", "),
        to: "0",
      }));
      return {
        calls,
        notes: [
          "The tokens stay with their owners; the agents' next signed scores upgrade them.",
          "A signature of an upgrade can restore a record while it is valid: ten minutes if the service made it, a day if a leaked key did. Revoke the signer first, or repeat the command later.",
        ],
      };
    });
  },
});

interface ListCommand {
  readonly title: string;
  readonly summary: string;
  readonly functionName: string;
  readonly powers: readonly Power[];
  readonly states: readonly [from: string, to: string];
}

/** `cancel` and `restore`: sessions of wallets. */
const defineSessionCommand = (name: string, isConsumed: boolean, command: ListCommand) =>
  defineCommand({
    name: `chain ${name}`,
    args: {
      sessions: {
        value: "WALLET:SESSION_HASH",
        count: "any",
        help: "the wallet and the session's gameSessionHash (0x and 64 hex digits); or @FILE",
      },
    },
    summary: command.summary,
    flags: CHAIN_FLAGS,
    examples: [`npm run admin -- chain ${name} 0xWALLET:0xSESSION_HASH --network baseSepolia`],
    async run({ flags, args }, terminal) {
      const expected = "WALLET:SESSION_HASH, an address and 0x with 64 hex digits";
      const sessions = readItems("WALLET:SESSION_HASH", args.sessions).map((item) => {
        const [wallet, hash] = parsePair("WALLET:SESSION_HASH", item, /^0x[0-9a-fA-F]{64}$/, expected);
        return { wallet, gameSessionHash: hash as Hex };
      });
      return runChainCommand(command.title, flags, terminal, async (target) => {
        const contract = selectContract(target, "rewards");
        const states = await Promise.all(
          sessions.map((session) => readView<boolean>(target, contract, "isSessionConsumed", Object.values(session))),
        );
        const open = sessions.filter((_, index) => states[index] === isConsumed);
        const [from, to] = command.states;
        const calls = createCalls(contract, command.functionName, open, command.powers, (part) => ({
          what: part.map(({ wallet, gameSessionHash }) => `session ${gameSessionHash} of ${wallet}`).join(", "),
          from,
          to,
        }));
        const rest = sessions.length - open.length;
        const word = isConsumed ? "not cancelled" : "already added to a scorebank or cancelled";
        return { calls, notes: rest === 0 ? [] : [`Nothing to do for ${rest} of ${sessions.length}: ${word}.`] };
      });
    },
  });

/** `void` and `restore-points`: points of wallets. `view` returns how many points of a wallet can be moved. */
const definePointsCommand = (name: string, view: "getScorebank" | "voidedPoints", command: ListCommand) =>
  defineCommand({
    name: `chain ${name}`,
    args: {
      points: { value: "WALLET:POINTS", count: "any", help: "the wallet, and how many points or `all`; or @FILE" },
    },
    summary: command.summary,
    flags: CHAIN_FLAGS,
    examples: [`npm run admin -- chain ${name} 0xWALLET:5000 0xOTHER:all --network baseSepolia`],
    async run({ flags, args }, terminal) {
      const expected = "WALLET:POINTS, an address and a number or `all`";
      const wanted = new Map<Address, bigint | null>();
      for (const item of readItems("WALLET:POINTS", args.points)) {
        const [wallet, text] = parsePair("WALLET:POINTS", item, /^(all|[1-9]\d{0,28})$/, expected);
        if (wanted.has(wallet)) throw new UsageError(`WALLET:POINTS: ${wallet} is named twice`);
        wanted.set(wallet, text === "all" ? null : BigInt(text));
      }
      return runChainCommand(command.title, flags, terminal, async (target) => {
        const contract = selectContract(target, "rewards");
        const rows = await Promise.all(
          [...wanted].map(async ([wallet, points]) => {
            const most = await readView<bigint>(target, contract, view, [wallet]);
            return { wallet, most, points: points === null || points > most ? most : points };
          }),
        );
        const moved = rows.filter(({ points }) => points > 0n);
        const [from, to] = command.states;
        const calls = createCalls(
          contract,
          command.functionName,
          moved.map(({ wallet, points }) => ({ wallet, points })),
          command.powers,
          (part) => ({
            what: part.map(({ wallet, points }) => `${points} points of ${wallet}`).join(", "),
            from,
            to,
          }),
        );
        const rest = rows.length - moved.length;
        return { calls, notes: rest === 0 ? [] : [`Nothing to do for ${rest} of ${rows.length} wallets.`] };
      });
    },
  });

export const SCORE_COMMANDS = [
  annul,
  defineSessionCommand("cancel", false, {
    title: "Cancel sessions",
    summary: "cancels sessions whose scores were signed and are not on chain yet: they never count; guardian or admin",
    functionName: "cancelSessions",
    powers: GUARD,
    states: ["may be added", "cancelled"],
  }),
  defineSessionCommand("restore", true, {
    title: "Restore sessions",
    summary: "lets cancelled sessions count again; admin only",
    functionName: "restoreSessions",
    powers: ["admin"],
    states: ["cancelled", "may be added"],
  }),
  definePointsCommand("void", "getScorebank", {
    title: "Void points",
    summary: "removes points from scorebanks that a leaked key credited; guardian or admin",
    functionName: "voidPoints",
    powers: GUARD,
    states: ["in the scorebank", "voided"],
  }),
  definePointsCommand("restore-points", "voidedPoints", {
    title: "Restore points",
    summary: "restores voided points to scorebanks; admin only",
    functionName: "restorePoints",
    powers: ["admin"],
    states: ["voided", "in the scorebank"],
  }),
];
