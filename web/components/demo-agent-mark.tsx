/** Marks a session of the service's own agents: any agent may take their name, none gets the mark. */
import { SESSION_LABELS } from "../labels/session.ts";

export const DemoAgentMark = () => (
  <span class="demo-agent-mark" title={SESSION_LABELS.demoNote}>
    {SESSION_LABELS.demo}
    <span class="visually-hidden">{`: ${SESSION_LABELS.demoNote}`}</span>
  </span>
);
