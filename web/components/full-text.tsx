/** A shortened text that shows itself whole: a title for a pointer, a tap without one. */
export const FullText = ({ text, fullText }: { readonly text: string; readonly fullText: string }) => (
  <details class="full-text">
    <summary title={fullText}>{text}</summary>
    <code>{fullText}</code>
  </details>
);
