/** The operator's page, behind the admin token. */
import { useSignal } from "@preact/signals";
import { ActionButton } from "../components/action-button.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Tabs } from "../components/tabs.tsx";
import { adminToken, closeConsole, openConsole } from "../console/console-store.ts";
import { StatusBar } from "../console/status-bar.tsx";
import { VIEWS } from "../console/views.tsx";
import { CONSOLE_LABELS, CONSOLE_VIEWS } from "../labels/console.ts";
import type { PageProps } from "../page-props.ts";

export function ConsolePage({ query }: PageProps) {
  const isOpen = adminToken.value !== null;
  return (
    <>
      <PageHead title={CONSOLE_LABELS.title} lead={CONSOLE_LABELS.intro}>
        {isOpen && (
          <button type="button" class="inline" onClick={closeConsole}>
            {CONSOLE_LABELS.close}
          </button>
        )}
      </PageHead>
      {isOpen ? <OpenConsole view={query.view ?? ""} /> : <TokenForm />}
    </>
  );
}

function TokenForm() {
  const token = useSignal("");
  return (
    <div class="form panel">
      <label>
        {CONSOLE_LABELS.token}
        <input
          type="password"
          autoComplete="off"
          value={token.value}
          onInput={({ currentTarget }) => {
            token.value = currentTarget.value;
          }}
        />
      </label>
      <p class="quiet">{CONSOLE_LABELS.tokenHelp}</p>
      <ActionButton
        label={CONSOLE_LABELS.open}
        isDisabled={token.value === ""}
        onClick={() => openConsole(token.value)}
      />
    </div>
  );
}

function OpenConsole({ view }: { readonly view: string }) {
  const current = CONSOLE_VIEWS.find((name) => name === view) ?? "sessions";
  const View = VIEWS[current];
  const items = CONSOLE_VIEWS.map((key) => ({ key, label: CONSOLE_LABELS.views[key], href: `/console?view=${key}` }));
  return (
    <>
      <StatusBar />
      <section class="section" aria-label={CONSOLE_LABELS.views[current]}>
        <Tabs label={CONSOLE_LABELS.title} items={items} current={current} />
        <View key={current} />
      </section>
    </>
  );
}
