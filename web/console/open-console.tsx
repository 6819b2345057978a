/** The console after the token is entered: problems, activity, and actions. */
import { Tabs } from "../components/tabs.tsx";
import { CONSOLE_LABELS, CONSOLE_VIEWS } from "../labels/console.ts";
import { StatusBar } from "./status-bar.tsx";
import { VIEWS } from "./views.tsx";

export function OpenConsole({ view }: { readonly view: string }) {
  const current = CONSOLE_VIEWS.find((name) => name === view) ?? "sessions";
  const View = VIEWS[current];
  const items = CONSOLE_VIEWS.map((key) => ({ key, label: CONSOLE_LABELS.views[key], href: `/console?view=${key}` }));
  return (
    <StatusBar>
      <section class="section" aria-label={CONSOLE_LABELS.views[current]}>
        <Tabs label={CONSOLE_LABELS.title} items={items} current={current} />
        <View key={current} />
      </section>
    </StatusBar>
  );
}
