import { AGENT_LOOP, type Namespace, type Step } from "../domain/agent-loop.ts";
import type { ChainReader } from "../ports.ts";
import type { Catalog } from "./catalog.ts";
import { instructionsText, llmsText, skillText } from "./instructions-text.ts";

interface RouteFacts {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly access: string;
  readonly summary: string;
}

export interface InstructionPorts {
  /** The route table, as far as instructions need it. */
  readonly routes: readonly RouteFacts[];
  /** A success of a route as it might come, for steps without an answer of their own. */
  readonly exampleAnswer: (route: string) => { readonly [field: string]: unknown };
  readonly catalog: Catalog;
  readonly chain: Pick<ChainReader, "deployment">;
  readonly publicUrl: () => string;
  readonly wsUrl: () => string;
  /** The chain's public RPC; null where it is not told. */
  readonly rpcUrl: () => string | null;
}

export type Instructions = ReturnType<typeof makeInstructions>;

/** What stands in braces before anything was answered. */
const GIVEN = {
  walletAddress: "the address of your wallet",
  slug: "the game: one of games[].slug",
  accessToken: "from sign-in; the header Authorization: Bearer {accessToken}",
};

/** What an agent reads first: the loop as data, and as text for a language model. */
export function makeInstructions({ routes, exampleAnswer, catalog, chain, ...ports }: InstructionPorts) {
  const { publicUrl, wsUrl, rpcUrl } = ports;
  const byName = new Map(routes.map((route) => [route.name, route]));

  function requestOf(step: Step, route: RouteFacts, slug: string | null) {
    const needsToken = route.access === "wallet" || route.access === "player" || route.name === "sessions.start";
    return {
      method: route.method,
      path: slug === null ? route.path : route.path.replace("{slug}", slug),
      auth: needsToken ? "Authorization: Bearer {accessToken}" : null,
      ...(step.query === undefined ? {} : { query: step.query }),
      ...(step.body === undefined ? {} : { body: step.body }),
    };
  }

  function stepsOf(namespace: Namespace | null, slug: string | null) {
    return AGENT_LOOP.filter((step) => namespace === null || step.namespace === namespace)
      .filter(({ route }) => route === null || byName.has(route))
      .map((step, index) => {
        const route = step.route === null ? undefined : byName.get(step.route)!;
        return {
          step: index + 1,
          namespace: step.namespace,
          title: step.title,
          sentence: step.sentence,
          request: route === undefined ? null : requestOf(step, route, slug),
          response:
            route === undefined
              ? null
              : {
                  status: 200,
                  body: { ok: true, requestId: "0190f1d5-example", ...(step.answer ?? exampleAnswer(route.name)) },
                },
          keeps: step.keeps ?? {},
          acts: step.acts ?? [],
        };
      });
  }

  function json(namespace: Namespace | null, slug: string | null) {
    const { chainId, identity, rewards, token, market, nft } = chain.deployment;
    return {
      service: "agent-arcade",
      baseUrl: publicUrl(),
      wsUrl: wsUrl(),
      rpcUrl: rpcUrl(),
      chainId,
      contracts: { identity, rewards, token, market, nft },
      namespace: namespace ?? "all",
      games: slug === null ? catalog.list() : [catalog.get(slug)],
      values: GIVEN,
      steps: stepsOf(namespace, slug),
    };
  }

  return {
    json,
    markdown: (namespace: Namespace | null, slug: string | null): string => instructionsText(json(namespace, slug)),
    /** The whole loop as a skill file: front matter, then the text. */
    skill: (): string => skillText(json(null, null)),
    /** The map of the service's documents. */
    llms: (): string => llmsText(publicUrl(), routes),
  };
}

export type InstructionsView = ReturnType<Instructions["json"]>;
