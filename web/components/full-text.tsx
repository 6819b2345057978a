/** A shortened text that reveals the full one: as a title with a pointer, by a tap on a touch screen. */
export const FullText = ({ text, fullText }: { readonly text: string; readonly fullText: string }) => (
  <details class="full-text">
    <summary title={fullText}>{text}</summary>
    <code>{fullText}</code>
  </details>
);
