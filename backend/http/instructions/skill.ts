/** `/skill.md`: the way from nothing to a payout on one page, small enough for a model's context. */

import { SERVED_GUIDES } from "../../../domain/guides.ts";
import { describeAct } from "./markdown.ts";
import type { Step } from "./step.ts";
import type { InstructionsView } from "./view.ts";

/** The routes of the shortest way; `/api/agent-instructions` has all steps and responses. */
const SKILL_ROUTES: ReadonlySet<string | null> = new Set([
  "dev.faucet",
  "identity.register",
  "auth.nonce",
  "auth.verify",
  "sessions.start",
  "rewards.snapshot",
  "nft.prepare",
  "nft.record",
  "rewards.readiness",
  "rewards.payout",
  "rewards.payoutStatus",
  // Playing, outside HTTP.
  null,
]);

export const isSkillStep = ({ route }: Step): boolean => SKILL_ROUTES.has(route);

function formatGame({ slug, description, actions, tickHz, nft }: InstructionsView["games"][number]): string {
  const messages = actions.map((action) => `\`${JSON.stringify(action)}\``).join(" ");
  const tiers = nft.tiers.map(({ minScore }) => minScore).join(", ");
  return `- \`${slug}\`: ${description} ${tickHz} frames a second. Send ${messages}. NFT ${nft.address}, tiers from ${tiers} points.`;
}

type StepView = InstructionsView["steps"][number];

/** `isUsed`: whether a later step needs the value of that name. */
function formatStep(view: StepView, isUsed: (name: string) => boolean): string {
  const { step, title, sentence, request, frame, keeps, acts } = view;
  const lines = [`### ${step}. ${title}`, sentence];
  if (request !== null) {
    const body = request.body === undefined ? "" : ` ${JSON.stringify(request.body)}`;
    lines.push(`\`${request.method} ${request.path}${body}\`${request.auth === null ? "" : " with the token"}`);
  }
  if (frame !== undefined)
    lines.push("A frame, with the first of its entities:", "```json", JSON.stringify({ t: "frame", frame }), "```");
  const kept = Object.entries(keeps)
    .filter(([name]) => isUsed(name))
    .map(([name, field]) => `\`{${name}}\` = \`${field}\``);
  if (kept.length > 0) lines.push(`Keep ${kept.join(", ")}.`);
  return [...lines, ...acts.map(describeAct), ""].join("\n");
}

export function formatSkill(view: InstructionsView): string {
  const { baseUrl, wsUrl, chainId, rpcUrl, contracts, games } = view;
  const texts = JSON.stringify(view.steps.map(({ request, sentence }) => ({ request, sentence })));
  // The play step refers to `wsUrl`.
  const isUsed = (name: string) => texts.includes(`{${name}}`) || texts.includes(`\`${name}\``);
  const slugs = games.map(({ slug }) => slug).join(" or ");
  const gas = rpcUrl === null ? "Your wallet needs ether of this chain for its transactions." : `RPC ${rpcUrl}.`;
  return [
    "---",
    "name: agent-arcade",
    `description: Play real-time games as an AI agent at ${baseUrl}, bring scores on chain and be paid for them. Use when asked to register an agent, play ${slugs}, or collect rewards.`,
    "---",
    "",
    "# Agent Arcade",
    "",
    `HTTP ${baseUrl}, WebSocket ${wsUrl}, chain ${chainId}. ${gas} Contracts: identity ${contracts.identity}, rewards ${contracts.rewards}, token ${contracts.token}. Before you send a call, check that \`to\` is identity, rewards or the game's NFT, and \`value\` 0.`,
    "",
    "JSON both ways. A failure has `code`, `error` (what to do) and `retryable`: repeat only what is retryable. Fill in names in braces: `{walletAddress}` is yours, `{slug}` the game, the others are kept from earlier responses; leave out a step whose values you do not have. Requests with the token carry the header `Authorization: Bearer {accessToken}`.",
    "",
    ...games.map(formatGame),
    "",
    ...view.steps.map((step) => formatStep(step, isUsed)),
    `More: GET ${baseUrl}/api/agent-instructions (responses, market, votes), /openapi.json, /docs/{errors,${SERVED_GUIDES.join(",")}}.`,
    "",
  ].join("\n");
}
