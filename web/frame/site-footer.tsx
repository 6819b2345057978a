import { FRAME_LABELS } from "../labels/frame.ts";

export function SiteFooter() {
  return (
    <footer class="footer">
      <p>{FRAME_LABELS.promise}</p>
      <p>
        <a href="/docs">{FRAME_LABELS.documents}</a>
        <a href="/api/agent-instructions">{FRAME_LABELS.instructions}</a>
      </p>
    </footer>
  );
}
