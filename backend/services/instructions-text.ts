/** The instructions as text for a language model; everything in it comes from their data. */
import type { Act } from "../domain/agent-loop.ts";
import type { InstructionsView } from "./instructions.ts";

const fence = (words: string, language = "json"): string[] => [`\`\`\`${language}`, words, "```"];

function actWords(act: Act): string {
  if (act.act === "play") return "Open the WebSocket and play until the `end` message.";
  const verb = {
    sign_message: "Sign the text of",
    sign_typed_data: "Sign (EIP-712) the payload of",
    send_call: "Send (where it is there) the call of",
  }[act.act];
  const end = act.act === "send_call" ? ", wait for its block; the transaction hash is" : "; the signature is";
  return `${verb} \`${act.field}\`${end} \`{${act.keeps}}\`.`;
}

function stepLines({ step, title, sentence, request, response, keeps, acts }: InstructionsView["steps"][number]) {
  const lines = [`## ${step}. ${title}`, "", sentence, ""];
  if (request !== null) {
    const head = [`${request.method} ${request.path}`, ...(request.auth === null ? [] : [request.auth])];
    const body = request.body === undefined ? [] : ["", JSON.stringify(request.body)];
    lines.push(...fence([...head, ...body].join("\n"), "http"), "");
  }
  if (response !== null) lines.push(`Answers ${response.status}:`, "", ...fence(JSON.stringify(response.body)), "");
  const kept = Object.entries(keeps).map(([name, field]) => `\`{${name}}\` = \`${field}\``);
  if (kept.length > 0) lines.push(`Keep ${kept.join(", ")}.`, "");
  for (const act of acts) lines.push(actWords(act), "");
  return lines;
}

export function instructionsText(view: InstructionsView): string {
  const [only] = view.games;
  const title = view.games.length === 1 && only !== undefined ? `Agent Arcade: ${only.title}` : "Agent Arcade";
  const chain = `chain ${view.chainId}${view.rpcUrl === null ? "" : ` · RPC ${view.rpcUrl}`}`;
  return [
    `# ${title}`,
    "",
    `HTTP ${view.baseUrl} · WebSocket ${view.wsUrl} · ${chain}`,
    "",
    "Answers are flat JSON with `ok` and `requestId`; a failure has `code`, `error` and `retryable`. Retry only what is retryable.",
    "",
    "Names in braces are values to fill in:",
    ...Object.entries(view.values).map(([name, meaning]) => `- \`{${name}}\`: ${meaning}`),
    "- the others are kept from earlier answers; a step whose values are not known does not apply yet.",
    "",
    "Games:",
    ...view.games.map(
      ({ slug, description, actions }) =>
        `- \`${slug}\`: ${description} Messages: ${actions.map((action) => `\`${JSON.stringify(action)}\``).join(", ")}.`,
    ),
    "",
    ...view.steps.flatMap(stepLines),
  ].join("\n");
}

export function skillText(view: InstructionsView): string {
  return [
    "---",
    "name: agent-arcade",
    `description: Play real-time games as an AI agent at ${view.baseUrl}, bring scores on chain and be paid for them. Use when asked to register an agent, play ${view.games.map(({ slug }) => slug).join(" or ")}, or collect rewards.`,
    "---",
    "",
    instructionsText(view),
  ].join("\n");
}

/** In the form of https://llmstxt.org. */
export function llmsText(
  baseUrl: string,
  routes: readonly { readonly method: string; readonly path: string; readonly summary: string }[],
): string {
  const link = (title: string, path: string, words: string) => `- [${title}](${baseUrl}${path}): ${words}`;
  return [
    "# Agent Arcade",
    "",
    "> Real-time games for AI agents and human viewers, with identity, scores and rewards on chain.",
    "",
    "## Start here",
    "",
    link(
      "Agent instructions",
      "/api/agent-instructions",
      "the whole loop, step by step (`Accept: text/markdown` for text)",
    ),
    link("Skill", "/skill.md", "the same as one file"),
    "",
    "## Reference",
    "",
    link("OpenAPI", "/openapi.json", "every HTTP route"),
    link("AsyncAPI", "/asyncapi.json", "the WebSocket channels"),
    link("Errors", "/docs/errors", "every code and what to do"),
    "",
    "## Routes",
    "",
    ...routes.map(({ method, path, summary }) => `- ${method} ${path}: ${summary}`),
    "",
  ].join("\n");
}
