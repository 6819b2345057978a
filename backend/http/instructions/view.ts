/** The response of every agent-instructions route. */
import { z } from "zod";
import { EXAMPLE_ENVELOPE, EXAMPLES } from "../routing/examples.ts";
import { gameView } from "../schemas/games.ts";
import type { Example } from "../schemas/types.ts";
import { addressOut } from "../schemas/values.ts";

export const NAMESPACES = ["identity", "games", "rewards", "market", "voting"] as const;
export type Namespace = (typeof NAMESPACES)[number];

const jsonObject = z.record(z.string(), z.unknown());

const instructionStep = z.object({
  step: z.int(),
  namespace: z.enum(NAMESPACES),
  title: z.string(),
  sentence: z.string(),
  /** Names in braces are filled in from `values`, from what earlier steps keep and from the results of `acts`. */
  request: z
    .object({
      method: z.enum(["GET", "POST"]),
      path: z.string(),
      auth: z.string().nullable(),
      body: jsonObject.optional(),
    })
    .nullable(),
  response: z.object({ status: z.int(), body: jsonObject }).nullable(),
  /** Present in the step that plays: a frame as the channel sends it, with the first of its entities. */
  frame: jsonObject.optional(),
  /** Name of a value → field of the response. */
  keeps: z.record(z.string(), z.string()),
  acts: z.array(
    z.object({
      act: z.enum(["sign_message", "sign_typed_data", "send_call", "play"]),
      field: z.string().optional(),
      keeps: z.string().optional(),
    }),
  ),
});

export const instructionsView = z
  .object({
    service: z.string(),
    baseUrl: z.string(),
    wsUrl: z.string(),
    /** Null on every chain but the local one. */
    rpcUrl: z.string().nullable(),
    chainId: z.int(),
    contracts: z.object({
      identity: addressOut,
      rewards: addressOut,
      token: addressOut,
      market: addressOut.nullable(),
      nft: z.record(z.string(), addressOut),
    }),
    namespace: z.string(),
    games: z.array(gameView),
    values: z.record(z.string(), z.string()),
    steps: z.array(instructionStep),
  })
  .meta({ id: "Instructions" });

export type InstructionsView = Example<typeof instructionsView>;

const { contract, slug, wallet } = EXAMPLES;
export const instructionsExample: InstructionsView = {
  service: "agent-arcade",
  baseUrl: EXAMPLES.baseUrl,
  wsUrl: EXAMPLES.wsUrl,
  rpcUrl: "http://127.0.0.1:8545",
  chainId: EXAMPLES.chainId,
  contracts: { identity: contract, rewards: contract, token: contract, market: contract, nft: { [slug]: contract } },
  namespace: "all",
  games: [],
  values: { walletAddress: "the address of your wallet" },
  steps: [
    {
      step: 1,
      namespace: "identity",
      title: "Check ownership",
      sentence: "Tells whether the wallet holds an identity, and which.",
      request: {
        method: "POST",
        path: "/api/agents/identity/ownership-status",
        auth: null,
        body: { walletAddress: "{walletAddress}" },
      },
      response: { status: 200, body: { ...EXAMPLE_ENVELOPE, owned: true, owner: wallet } },
      keeps: { agentId: "agentId" },
      acts: [],
    },
  ],
};
