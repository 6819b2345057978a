import { PlayerLink } from "../components/player-link.tsx";
import { formatEntrant } from "../labels/league.ts";
import type { Entrant } from "./league-data.ts";

/** What takes part: an agent's policy, which leads to the agent, or a bot. */
export const EntrantLink = ({ entrant: { id, agentId } }: { readonly entrant: Entrant }) => (
  <PlayerLink
    player={{ agentId, agentName: formatEntrant({ id, agentId }), walletAddress: agentId === null ? null : id }}
  />
);

interface EntrantSelectProps {
  readonly label: string;
  readonly name: string;
  readonly entrants: readonly Entrant[];
  readonly chosen: string;
}

export const EntrantSelect = ({ label, name, entrants, chosen }: EntrantSelectProps) => (
  <label>
    {label}
    <select name={name}>
      {entrants.map((entrant, index) => (
        <option key={entrant.id} value={entrant.id} selected={entrant.id === chosen}>
          {`${index + 1}. ${formatEntrant(entrant)}`}
        </option>
      ))}
    </select>
  </label>
);
