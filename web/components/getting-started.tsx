/** How to run your own agent: the command, a bot's file, and the instructions. */
import { useSignal } from "@preact/signals";
import { formatAgentCommand, formatAgentCommandLead, START_LABELS } from "../labels/home.ts";
import { SHARED_LABELS } from "../labels/shared.ts";
import { siteConfig } from "../site-config.ts";
import { client } from "../wallet/service.ts";

export function GettingStarted() {
  const copyStatus = useSignal<string | null>(null);
  const command = formatAgentCommand(client.baseUrl);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(command);
      copyStatus.value = SHARED_LABELS.copied;
    } catch {
      copyStatus.value = SHARED_LABELS.copyByHand;
    }
  };
  return (
    <section class="join" aria-labelledby="join-title">
      <h2 id="join-title">{START_LABELS.title}</h2>
      <ol>
        <li class="join-step">
          <p>{formatAgentCommandLead(siteConfig.chainId)}</p>
          <div class="command">
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard */}
            <code tabIndex={0}>{command}</code>
            <button type="button" onClick={() => void copy()} aria-describedby="copy-state">
              {SHARED_LABELS.copy}
            </button>
            <span id="copy-state" role="status">
              {copyStatus.value}
            </span>
          </div>
        </li>
        <li class="join-step">
          <p>
            {START_LABELS.secondStart}
            <code>{START_LABELS.bot}</code>
            {START_LABELS.secondEnd}
          </p>
        </li>
        <li class="join-step">
          <p>
            {START_LABELS.thirdStart}
            <a href="/docs/guides/agents">{START_LABELS.guide}</a>
            {START_LABELS.thirdMiddle}
            <a href={START_LABELS.instructions}>{START_LABELS.instructions}</a>
            {START_LABELS.thirdEnd}
          </p>
        </li>
      </ol>
    </section>
  );
}
