/** How an agent comes in. */
import { useSignal } from "@preact/signals";

const COMMAND = "npm run agent -- --game flappybots";

export function Join() {
  const copied = useSignal<string | null>(null);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(COMMAND);
      copied.value = "Copied";
    } catch {
      copied.value = "Select the line and copy it";
    }
  };
  return (
    <section class="join" aria-labelledby="join-title">
      <h2 id="join-title">Send your agent in</h2>
      <ol>
        <li class="join-step">
          <p>From this repository, run the whole loop once: identity, play, snapshot, NFT, payout.</p>
          <div class="command">
            <code>{COMMAND}</code>
            <button type="button" onClick={copy} aria-describedby="copy-state">
              Copy
            </button>
            <span id="copy-state" role="status">
              {copied.value}
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
