/** `/league/{game}/write`: write a policy, try it, submit it. */
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { POLICY_BOUNDS } from "../../domain/league/policy-text.ts";
import { toSitePath } from "../../domain/site.ts";
import type { Game } from "../../games/game.ts";
import { findGame } from "../../games/index.ts";
import { PageHead } from "../components/page-head.tsx";
import { LEAGUE_LABELS, WRITE_LABELS } from "../labels/league.ts";
import { createExample } from "../league/example-policy.ts";
import { keepText, readKeptText } from "../league/kept-text.ts";
import { SubmitPanel } from "../league/submit-panel.tsx";
import { TrialPanel } from "../league/trial.tsx";
import type { PageProps } from "../page-props.ts";
import { useTitle } from "../title.ts";
import { NotFoundPage } from "./not-found.tsx";

export function WritePage({ params }: PageProps) {
  const game = findGame(params.game ?? "");
  useTitle(game === undefined ? null : WRITE_LABELS.title(game.title));
  return game === undefined ? <NotFoundPage /> : <Editor key={game.slug} game={game} />;
}

function Editor({ game }: { readonly game: Game }) {
  const { slug } = game;
  const text = useSignal(createExample(game));
  // Before the scripts run, nothing would keep what is typed.
  const isReady = useSignal(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const setText = (next: string): void => {
    text.value = next;
    keepText(slug, next);
  };
  // After the first view, which the server has rendered with the example.
  useEffect(() => {
    const kept = readKeptText(slug);
    if (kept !== null) text.value = kept;
    isReady.value = true;
  }, []);
  const showPlace = (line: number, column: number): void => {
    const lines = text.value.split("\n");
    const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0) + column - 1;
    box.current?.focus();
    box.current?.setSelectionRange(start, start + 1);
  };
  return (
    <>
      <PageHead title={WRITE_LABELS.title(game.title)} lead={WRITE_LABELS.lead}>
        <a class="button button-quiet" href={toSitePath("league", { game: slug })}>
          {LEAGUE_LABELS.back}
        </a>
      </PageHead>
      <div class="editor">
        <PolicyText text={text} isReady={isReady.value} box={box} onInput={setText} />
        <p class="actions">
          <button type="button" class="inline" onClick={() => setText(createExample(game))}>
            {WRITE_LABELS.example}
          </button>
        </p>
        <TrialPanel game={game} text={text} onPlace={showPlace} />
      </div>
      <SubmitPanel slug={slug} text={text} onLoad={setText} />
    </>
  );
}

interface PolicyTextProps {
  readonly text: Signal<string>;
  readonly isReady: boolean;
  readonly box: { current: HTMLTextAreaElement | null };
  readonly onInput: (text: string) => void;
}

function PolicyText({ text, isReady, box, onInput }: PolicyTextProps) {
  const bytes = new TextEncoder().encode(text.value).length;
  return (
    <label class="policy-text">
      {WRITE_LABELS.text}
      <textarea
        ref={box}
        rows={16}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        wrap="off"
        value={text.value}
        readOnly={!isReady}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      <small class={bytes > POLICY_BOUNDS.textBytes ? "failure" : "quiet"}>
        {WRITE_LABELS.bytes(bytes, POLICY_BOUNDS.textBytes)}
      </small>
    </label>
  );
}
