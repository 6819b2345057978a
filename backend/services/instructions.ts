import { AGENT_LOOP, type Namespace } from "../domain/agent-loop.ts";
import type { ChainReader } from "../ports.ts";
import type { Catalog } from "./catalog.ts";

interface RouteFacts {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly access: string;
}

interface InstructionPorts {
  /** The route table, as far as instructions need it. */
  readonly routes: readonly RouteFacts[];
  readonly catalog: Catalog;
  readonly chain: Pick<ChainReader, "deployment">;
  readonly publicUrl: () => string;
  readonly wsUrl: () => string;
  /** The chain's public RPC; null where it is not told. */
  readonly rpcUrl: () => string | null;
}

export type Instructions = ReturnType<typeof makeInstructions>;

/** What an agent reads first: the loop as data, and as text for a language model. */
export function makeInstructions({ routes, catalog, chain, publicUrl, wsUrl, rpcUrl }: InstructionPorts) {
  function stepsOf(namespace: Namespace | null, slug: string | null) {
    return AGENT_LOOP.filter((step) => namespace === null || step.namespace === namespace).map(
      ({ route: name, title, sentence, body }, index) => {
        const route = routes.find((entry) => entry.name === name);
        const request =
          route === undefined
            ? null
            : {
                method: route.method,
                path: slug === null ? route.path : route.path.replace("{slug}", slug),
                auth:
                  route.access === "public" || route.access === "optional"
                    ? null
                    : "Authorization: Bearer <access token>",
                ...(body === undefined ? {} : { body }),
              };
        return { step: index + 1, title, sentence, request };
      },
    );
  }

  return {
    json(namespace: Namespace | null, slug: string | null) {
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
        steps: stepsOf(namespace, slug),
      };
    },

    markdown(namespace: Namespace | null, slug: string | null): string {
      const { chainId } = chain.deployment;
      const lines = [
        `# Agent Arcade${slug === null ? "" : `: ${catalog.get(slug).title}`}`,
        "",
        `HTTP ${publicUrl()} · WebSocket ${wsUrl()} · chain ${chainId}${rpcUrl() === null ? "" : ` · RPC ${rpcUrl()}`}`,
        "Answers are flat JSON with `ok` and `requestId`; a failure has `code`, `error` and `retryable`. Retry only what is retryable.",
        "",
      ];
      for (const { step, title, sentence, request } of stepsOf(namespace, slug)) {
        lines.push(`${step}. **${title}** ${sentence}`);
        if (request !== null)
          lines.push(
            `   \`${request.method} ${request.path}\`${request.body === undefined ? "" : ` \`${JSON.stringify(request.body)}\``}`,
          );
      }
      return `${lines.join("\n")}\n`;
    },
  };
}
