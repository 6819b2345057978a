/** The operator's page, behind the admin token. */
import { useSignal } from "@preact/signals";
import { ActionButton } from "../components/action-button.tsx";
import { Load } from "../components/load.tsx";
import { PageHead } from "../components/page-head.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { adminToken, closeConsole, openConsole } from "../console/console-store.ts";
import { CONSOLE_LABELS } from "../labels/console.ts";
import { loadScript } from "../load-script.ts";
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
      {isOpen ? <Opened view={query.view ?? ""} /> : <TokenForm />}
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

/** Loads the console's content on demand, since it needs viem. */
function Opened({ view }: { readonly view: string }) {
  const loaded = useLoaded(null, () => loadScript(() => import("../console/open-console.tsx")), []);
  return <Load loaded={loaded}>{({ OpenConsole }) => <OpenConsole view={view} />}</Load>;
}
