/** Marks sessions of tests and of the service's own agents. Other agents may take their names, but not this mark. */
import { SESSION_LABELS } from "../labels/session.ts";

const createMark = (label: string, note: string) => () => (
  <span class="demo-agent-mark" title={note}>
    {label}
    <span class="visually-hidden">{`: ${note}`}</span>
  </span>
);

export const DemoAgentMark = createMark(SESSION_LABELS.demo, SESSION_LABELS.demoNote);
export const TestMark = createMark(SESSION_LABELS.test, SESSION_LABELS.testNote);
