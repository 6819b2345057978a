import { findGame } from "../../../games/index.ts";
import type { Deployment } from "../../ports/chain.ts";
import type { Services } from "../../services/services.ts";
import { EXAMPLE_ENVELOPE, EXAMPLES } from "../routing/examples.ts";
import type { Instructions } from "../routing/handler-services.ts";
import type { Route } from "../routing/route.ts";
import { createFrameExample } from "./frame-example.ts";
import { formatInstructions, formatLlms } from "./markdown.ts";
import { formatSkill, isSkillStep } from "./skill.ts";
import type { Step } from "./step.ts";
import { AGENT_STEPS } from "./steps.ts";
import type { InstructionsView, Namespace } from "./view.ts";

export interface InstructionOptions {
  /** The routes of this service; steps of other routes are left out. */
  readonly routes: readonly Route[];
  readonly catalog: Pick<Services["catalog"], "list" | "get">;
  readonly deployment: Deployment;
  readonly publicUrl: () => string;
  readonly wsUrl: () => string;
  /** The chain's public RPC; null if it is not published. */
  readonly rpcUrl: string | null;
}

/** Values in braces that do not come from an earlier step. */
const INITIAL_VALUES = {
  walletAddress: "the address of your wallet",
  slug: "the game: one of games[].slug",
  accessToken: "from sign-in; the header Authorization: Bearer {accessToken}",
};

type StepView = InstructionsView["steps"][number];

function toRequest(step: Step, route: Route, slug: string | null): StepView["request"] {
  const needsToken = route.access === "wallet" || route.access === "player" || route.name === "sessions.start";
  return {
    method: route.method,
    path: slug === null ? route.path : route.path.replace("{slug}", slug),
    auth: needsToken ? "Authorization: Bearer {accessToken}" : null,
    ...(step.body === undefined ? {} : { body: step.body }),
  };
}

const EXAMPLE_HOST = new URL(EXAMPLES.baseUrl).host;
/** Replaced in one pass: this service's port may begin with the digits of the default one. */
const EXAMPLE_ADDRESS = new RegExp(
  [EXAMPLES.wsUrl, EXAMPLES.baseUrl, EXAMPLE_HOST].join("|").replaceAll(".", "\\."),
  "g",
);

/** An example with this service's own addresses in place of the default ones. */
export function localize<T>(example: T, { publicUrl, wsUrl }: Pick<InstructionOptions, "publicUrl" | "wsUrl">): T {
  const url = publicUrl();
  const own = { [EXAMPLES.wsUrl]: wsUrl(), [EXAMPLES.baseUrl]: url, [EXAMPLE_HOST]: new URL(url).host };
  const text = JSON.stringify(example).replace(EXAMPLE_ADDRESS, (address) => own[address]!);
  return JSON.parse(text) as T;
}

function toResponse(step: Step, route: Route): StepView["response"] {
  const example = step.example === undefined ? route.example : route.otherExamples?.[step.example];
  if (example === undefined) throw new Error(`${route.name} has no example "${step.example}"`);
  const envelope = route.plain === true ? {} : EXAMPLE_ENVELOPE;
  return { status: 200, body: { ...envelope, ...(example.response as object) } };
}

/** The steps for the routes of this service, as data and as text. */
export function createInstructions(options: InstructionOptions): Instructions {
  const { routes, catalog, deployment, publicUrl, wsUrl, rpcUrl } = options;
  const routesByName = new Map(routes.map((route) => [route.name, route]));

  const frames = new Map<string, { readonly [field: string]: unknown }>();
  /** Returns nothing for a game whose rules this build does not have. */
  function getFrame(slug: string | null) {
    const game = findGame(slug ?? catalog.list()[0]?.slug ?? "");
    if (game === undefined) return {};
    const frame = frames.get(game.slug) ?? createFrameExample(game);
    frames.set(game.slug, frame);
    return { frame };
  }

  function toSteps(isIncluded: (step: Step) => boolean, slug: string | null): StepView[] {
    return AGENT_STEPS.filter(isIncluded)
      .filter(({ route }) => route === null || routesByName.has(route))
      .map((step, index) => {
        const route = step.route === null ? undefined : routesByName.get(step.route)!;
        return {
          step: index + 1,
          namespace: step.namespace,
          title: step.title,
          sentence: step.description,
          request: route === undefined ? null : toRequest(step, route, slug),
          response: route === undefined ? null : localize(toResponse(step, route), options),
          ...(step.acts?.some(({ act }) => act === "play") ? getFrame(slug) : {}),
          keeps: step.keeps ?? {},
          acts: step.acts ?? [],
        };
      });
  }

  const isOf = (namespace: Namespace | null) => (step: Step) => namespace === null || step.namespace === namespace;

  function toJson(
    namespace: Namespace | null,
    slug: string | null,
    isIncluded: (step: Step) => boolean = isOf(namespace),
  ): InstructionsView {
    const { chainId, identity, rewards, token, market, nft } = deployment;
    return {
      service: "agent-arcade",
      baseUrl: publicUrl(),
      wsUrl: wsUrl(),
      rpcUrl,
      chainId,
      contracts: { identity, rewards, token, market, nft },
      namespace: namespace ?? "all",
      games: slug === null ? catalog.list() : [catalog.get(slug)],
      values: INITIAL_VALUES,
      steps: toSteps(isIncluded, slug),
    };
  }

  return {
    toJson,
    toMarkdown: (namespace, slug) => formatInstructions(toJson(namespace, slug)),
    toSkill: () => formatSkill(toJson(null, null, isSkillStep)),
    toLlmsText: () => formatLlms(publicUrl(), routes),
  };
}
