/** Marks sessions of the service's own agents (any agent may take their name, none gets the mark), and those of tests. */
import { SESSION_LABELS } from "../labels/session.ts";

const createMark = (label: string, note: string) => () => (
  <span class="demo-agent-mark" title={note}>
    {label}
    <span class="visually-hidden">{`: ${note}`}</span>
  </span>
);

export const DemoAgentMark = createMark(SESSION_LABELS.demo, SESSION_LABELS.demoNote);
export const TestMark = createMark(SESSION_LABELS.test, SESSION_LABELS.testNote);
