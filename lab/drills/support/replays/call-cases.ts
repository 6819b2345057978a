/** Signed calls that are sent again: for others, changed, elsewhere, after their signer was revoked, or too late. */
import { decodeFunctionData, encodeFunctionData, type Hex, parseAbi, recoverTypedDataAddress } from "viem";
import { decodeRevert, findRevertData } from "../../../../domain/reverts.ts";
import { CALLS, type Call } from "../../../../domain/typed-data/calls.ts";
import { sendCall } from "../../../../test/http/support/on-chain.ts";
import { addEndedSession } from "../../../../testing/ended-session.ts";
import { createAgent, createPlayer, type Player } from "../../../../testing/player.ts";
import type { Arena, ReplayCase } from "./arena.ts";

const SLUG = "shellrunners";
/** The points of the first two tiers of the game's NFT. */
const TIERS = [220, 900] as const;
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const ABI = parseAbi(["function revokeSigner(address account)", "function defaultAdmin() view returns (address)"]);

interface SentCall {
  readonly call: Call;
  readonly signer: Hex;
  readonly sender: Hex;
}
type Kind = "identity" | "snapshot" | "batch" | "mint" | "upgrade";

/** Every kind of signed call, prepared by the service and sent once. */
async function sendCalls({ stack }: Arena): Promise<{ readonly [kind in Kind]: SentCall }> {
  const unregistered = await createPlayer(stack);
  const agent = await createAgent(stack);
  const prepare = async (player: Player, path: string, body: object): Promise<SentCall> => {
    const response = await stack.request("POST", path, { body, token: await player.getAccessToken() });
    if (response.body.call === undefined) throw new Error(`${path}: ${JSON.stringify(response.body)}`);
    const { call, signature, typedData } = response.body;
    await sendCall(player, call);
    return { call, signer: await recoverTypedDataAddress({ ...typedData, signature }), sender: player.address };
  };
  const addScore = (minScore: number) => addEndedSession(stack, { wallet: agent.address, minScore });
  const identity = await prepare(unregistered, "/api/identity/register", {
    walletAddress: unregistered.address,
    agentName: "Again",
  });
  await addScore(TIERS[0]);
  const snapshot = await prepare(agent, "/api/rewards/snapshot", {});
  const mint = await prepare(agent, `/api/games/${SLUG}/nft/prepare`, {});
  await addScore(TIERS[1]);
  const batch = await prepare(agent, "/api/rewards/snapshot", { all: true });
  const upgrade = await prepare(agent, `/api/games/${SLUG}/nft/prepare`, {});
  return { identity, snapshot, batch, mint, upgrade };
}

type Arguments = readonly unknown[];
const getArguments = ({ call }: SentCall): Arguments => decodeFunctionData({ abi: CALLS, data: call.data }).args ?? [];

/** The name of the error that a call reverts with; `accepted` if it does not. */
async function simulate(arena: Arena, { call, sender }: SentCall, args: Arguments, to = call.to): Promise<string> {
  const data = encodeFunctionData({ abi: CALLS, functionName: call.functionName, args: args as never });
  try {
    await arena.stack.chain.request("eth_call", [{ from: sender, to, data }, "latest"]);
    return "accepted";
  } catch (error) {
    const revert = findRevertData(error);
    return (revert === null ? null : decodeRevert(revert)?.name) ?? String(error);
  }
}

/** The same signature with its other valid `s` (malleability). */
function flipSignature(signature: Hex): Hex {
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  const flipped = s > HALF_ORDER ? s : ORDER - s;
  const v = signature.slice(130) === "1b" ? "1c" : "1b";
  return `${signature.slice(0, 66)}${flipped.toString(16).padStart(64, "0")}${v}` as Hex;
}

const change = (args: Arguments, index: number, value: unknown): Arguments => args.with(index, value);

/** Changes the argument that a thief would change: the document of an identity, or the score. */
function changeValue(kind: Kind, args: Arguments): Arguments {
  if (kind === "identity") return change(args, 1, `0x${"77".repeat(32)}`);
  if (kind !== "batch") return change(args, 2, (args[2] as bigint) + 1n);
  const [item] = args[1] as readonly { readonly score: bigint }[];
  return change(args, 1, [{ ...item!, score: item!.score + 1n }]);
}

/** Another call with the same arguments: a mint's signature for an upgrade, and vice versa. */
const OTHER_CALLS: { readonly [kind in Kind]?: "mintSigned" | "upgradeSigned" } = {
  mint: "upgradeSigned",
  upgrade: "mintSigned",
};

const REPEATED: { readonly [kind in Kind]: string } = {
  // The wallet's nonce is part of what was signed.
  identity: "InvalidSignature",
  snapshot: "SessionAlreadyConsumed",
  batch: "SessionAlreadyConsumed",
  mint: "AlreadyMinted",
  upgrade: "ScoreNotHigher",
};

async function revokeSigner(arena: Arena, { call, signer }: SentCall): Promise<void> {
  const { chain } = arena.stack;
  const admin = (await chain.request("eth_call", [
    { to: call.to, data: encodeFunctionData({ abi: ABI, functionName: "defaultAdmin" }) },
    "latest",
  ])) as Hex;
  const from: Hex = `0x${admin.slice(-40)}`;
  await chain.request("hardhat_impersonateAccount", [from]);
  const data = encodeFunctionData({ abi: ABI, functionName: "revokeSigner", args: [signer] });
  await chain.request("eth_sendTransaction", [{ from, to: call.to, data }]);
}

type Sent = Awaited<ReturnType<typeof sendCalls>>;

function createKindCases(kind: Kind, sent: () => Sent): ReplayCase[] {
  const what = `signature of ${kind}`;
  const expected = "InvalidSignature";
  const run =
    (edit: (args: Arguments, arena: Arena) => Arguments, getTarget?: (arena: Arena) => Hex) => (arena: Arena) => {
      const one = sent()[kind];
      return simulate(arena, one, edit(getArguments(one), arena), getTarget?.(arena));
    };
  const other = OTHER_CALLS[kind];
  return [
    { what, how: "again", expected: REPEATED[kind], run: run((args) => args) },
    {
      what,
      how: "for another wallet",
      // Only the wallet itself can mint its identity.
      expected: kind === "identity" ? "NotWallet" : expected,
      run: run((args, arena) => change(args, 0, arena.nextAccount().address)),
    },
    { what, how: "with another value", expected, run: run((args) => changeValue(kind, args)) },
    {
      what,
      how: "with a later deadline",
      expected,
      run: run((args) => change(args, args.length - 2, (args.at(-2) as bigint) + 1n)),
    },
    {
      what,
      how: "in its other form (high s)",
      expected,
      run: run((args) => change(args, args.length - 1, flipSignature(args.at(-1) as Hex))),
    },
    ...(other === undefined
      ? []
      : [
          {
            what,
            how: `for ${other}`,
            expected,
            run: (arena: Arena) => {
              const one = sent()[kind];
              return simulate(arena, { ...one, call: { ...one.call, functionName: other } }, getArguments(one));
            },
          },
          {
            what,
            how: "at the contract of another game",
            expected,
            run: run(
              (args) => args,
              ({ stack }) => stack.deployment.nft.flappybots!,
            ),
          },
        ]),
  ];
}

const KINDS = ["identity", "snapshot", "batch", "mint", "upgrade"] as const;

/** The order matters: the last ones revoke the signers and advance the chain's time. */
export function createCallCases(): readonly ReplayCase[] {
  let sent: Sent;
  const getSent = (): Sent => sent;
  const [first, ...rest] = KINDS.flatMap((kind) => createKindCases(kind, getSent));
  const runUnchanged = (arena: Arena, kind: Kind) => simulate(arena, sent[kind], getArguments(sent[kind]));
  return [
    {
      ...first!,
      run: async (arena) => {
        sent = await sendCalls(arena);
        return first!.run(arena);
      },
    },
    ...rest,
    ...KINDS.map((kind) => ({
      what: `signature of ${kind}`,
      how: "after its signer was revoked",
      expected: "InvalidSignature",
      run: async (arena: Arena) => {
        await revokeSigner(arena, sent[kind]);
        return runUnchanged(arena, kind);
      },
    })),
    ...KINDS.map((kind) => ({
      what: `signature of ${kind}`,
      how: "after its deadline",
      expected: "DeadlineExpired",
      run: async (arena: Arena) => {
        await arena.stack.chain.request("evm_increaseTime", [3600]);
        await arena.stack.chain.request("evm_mine", []);
        return runUnchanged(arena, kind);
      },
    })),
  ];
}
