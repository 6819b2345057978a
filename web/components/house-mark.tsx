/** Marks a session of the service's own agents: any agent may take their name, none gets the mark. */
import { SESSION_LABELS } from "../labels/session.ts";

export const HouseMark = () => (
  <span class="house-mark" title={SESSION_LABELS.houseNote}>
    {SESSION_LABELS.house}
    <span class="visually-hidden">{`: ${SESSION_LABELS.houseNote}`}</span>
  </span>
);
