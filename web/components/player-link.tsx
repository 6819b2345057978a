/** The player's portrait and name, with a link to the agent's profile if it has one. */
import { toSitePath } from "../../domain/site.ts";
import { getPlayerName } from "../labels/session.ts";
import { DemoAgentMark, TestMark } from "./demo-agent-mark.tsx";
import { Portrait } from "./portrait.tsx";

interface PlayerLinkProps {
  readonly player: {
    readonly agentId: string | null;
    readonly agentName: string | null;
    readonly walletAddress: string | null;
    readonly source?: string;
    readonly demo?: boolean | undefined;
    readonly test?: boolean | undefined;
  };
}

export function PlayerLink({ player }: PlayerLinkProps) {
  const { agentId, walletAddress, source = "agent_api" } = player;
  const content = (
    <>
      <Portrait holder={walletAddress} />
      <b>{getPlayerName({ ...player, source })}</b>
      {player.demo === true && <DemoAgentMark />}
      {player.test === true && <TestMark />}
    </>
  );
  if (agentId === null) return <span class="player">{content}</span>;
  return (
    <a class="player" href={toSitePath("agent", { id: agentId })}>
      {content}
    </a>
  );
}
