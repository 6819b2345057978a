/** The instructions as text for a language model, generated from their data. */

import { GUIDES, SERVED_GUIDES } from "../../../domain/guides.ts";
import type { InstructionsView } from "./view.ts";

const formatCodeBlock = (content: string, language = "json"): string[] => [`\`\`\`${language}`, content, "```"];

/** Describes in a sentence what the wallet does after a response. */
export function describeAct(act: InstructionsView["steps"][number]["acts"][number]): string {
  if (act.act === "play") return "Open the WebSocket and play until the `end` message.";
  const verb = {
    sign_message: "Sign the text of",
    sign_typed_data: "Sign (EIP-712) the payload of",
    send_call: "Send the call of",
  }[act.act];
  const end = act.act === "send_call" ? " (if any), wait for its block; its hash is" : "; the signature is";
  return `${verb} \`${act.field}\`${end} \`{${act.keeps}}\`.`;
}

const LONG_HEX = /^0x[0-9a-f]{64,}$/;
/** Fields that a reader of the text does not need: `call` is ready to send, and these describe it. */
const DESCRIBING_FIELDS = new Set(["typedData", "order", "args", "metadata"]);

/** A response with long bytes and descriptive objects shortened; the JSON form of the instructions has them in full. */
function shorten(value: unknown, kept: ReadonlySet<string>, field = ""): unknown {
  if (typeof value === "string") return LONG_HEX.test(value) ? `${value.slice(0, 10)}…` : value;
  if (Array.isArray(value)) return field === "args" ? ["…"] : value.map((item) => shorten(item, kept));
  if (typeof value !== "object" || value === null) return value;
  if (DESCRIBING_FIELDS.has(field) && !kept.has(field)) return { "…": "…" };
  const { items, ...named } = value as { readonly items?: unknown };
  // A list under two names is shown under the second one.
  const isNamedTwice = Object.values(named).some((other) => JSON.stringify(other) === JSON.stringify(items));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === "items" && isNamedTwice ? ["…"] : shorten(inner, kept, name),
    ]),
  );
}

function formatStep(view: InstructionsView["steps"][number]) {
  const { step, title, sentence, request, response, frame, keeps, acts } = view;
  const signed = new Set(acts.flatMap(({ act, field }) => (act === "sign_typed_data" && field ? [field] : [])));
  const lines = [`## ${step}. ${title}`, sentence, ""];
  if (request !== null) {
    const head = [`${request.method} ${request.path}`, ...(request.auth === null ? [] : [request.auth])];
    const body = request.body === undefined ? [] : ["", JSON.stringify(request.body)];
    lines.push(...formatCodeBlock([...head, ...body].join("\n"), "http"), "");
  }
  if (response !== null)
    lines.push(`Response ${response.status}:`, ...formatCodeBlock(JSON.stringify(shorten(response.body, signed))), "");
  if (frame !== undefined)
    lines.push(
      "A `frame` message, with the first of its entities:",
      ...formatCodeBlock(JSON.stringify({ t: "frame", frame })),
      "",
    );
  const kept = Object.entries(keeps).map(([name, field]) => `\`{${name}}\` = \`${field}\``);
  if (kept.length > 0) lines.push(`Keep ${kept.join(", ")}.`, "");
  for (const act of acts) lines.push(describeAct(act), "");
  return lines;
}

export function formatInstructions(view: InstructionsView): string {
  const [only] = view.games;
  const title = view.games.length === 1 && only !== undefined ? `Agent Arcade: ${only.title}` : "Agent Arcade";
  const chain = `chain ${view.chainId}${view.rpcUrl === null ? "" : ` · RPC ${view.rpcUrl}`}`;
  return [
    `# ${title}`,
    "",
    `HTTP ${view.baseUrl} · WebSocket ${view.wsUrl} · ${chain}`,
    "",
    "Responses are flat JSON with `ok`; a failure has `code`, `error` and `retryable`. Retry only what is retryable.",
    "",
    "Names in braces are values to fill in:",
    ...Object.entries(view.values).map(([name, meaning]) => `- \`{${name}}\`: ${meaning}`),
    "- the others are kept from earlier responses; leave out a step whose values you do not have.",
    "",
    "Games:",
    ...view.games.map(
      ({ slug, description, actions }) =>
        `- \`${slug}\`: ${description} Messages: ${actions.map((action) => `\`${JSON.stringify(action)}\``).join(", ")}.`,
    ),
    "",
    ...view.steps.flatMap(formatStep),
  ].join("\n");
}

/** In the form of https://llmstxt.org. */
export function formatLlms(
  baseUrl: string,
  routes: readonly { readonly method: string; readonly path: string; readonly summary: string }[],
): string {
  const link = (title: string, path: string, description: string) => `- [${title}](${baseUrl}${path}): ${description}`;
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
    link("Skill", "/skill.md", "the way to a payout on one page"),
    "",
    "## Reference",
    "",
    link("OpenAPI", "/openapi.json", "every HTTP route"),
    link("AsyncAPI", "/asyncapi.json", "the WebSocket channels"),
    link("Errors", "/docs/errors", "every code and what to do"),
    ...SERVED_GUIDES.map((name) => link(GUIDES[name].title, `/docs/${name}`, GUIDES[name].summary)),
    "",
    "## Routes",
    "",
    ...routes.map(({ method, path, summary }) => `- ${method} ${path}: ${summary}`),
    "",
  ].join("\n");
}
