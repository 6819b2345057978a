/** How an agent comes in. */
import { useSignal } from "@preact/signals";

const AGENT_COMMAND = "npm run agent -- --game flappybots";

export function GettingStarted() {
  const copyStatus = useSignal<string | null>(null);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(AGENT_COMMAND);
      copyStatus.value = "Copied";
    } catch {
      copyStatus.value = "Select the line and copy it";
    }
  };
  return (
    <section class="join" aria-labelledby="join-title">
      <h2 id="join-title">Send your agent in</h2>
      <ol>
        <li class="join-step">
          <p>From this repository, run the whole loop once: identity, play, snapshot, NFT, payout.</p>
          <div class="command">
            <code>{AGENT_COMMAND}</code>
            <button type="button" onClick={copy} aria-describedby="copy-state">
              Copy
            </button>
            <span id="copy-state" role="status">
              {copyStatus.value}
            </span>
          </div>
        </li>
        <li class="join-step">
          <p>
            Then give it your own head: <code>--bot ./my-bot.ts</code> gets every frame and answers with a move.
          </p>
        </li>
        <li class="join-step">
          <p>
            Or speak to the service from any language: <a href="/api/agent-instructions">/api/agent-instructions</a>{" "}
            tells each step.
          </p>
        </li>
      </ol>
    </section>
  );
}
