/** A shortened text that shows itself whole: a title where there is a pointer, a tap where there is none. */
export const FullText = ({ text, fullText }: { readonly text: string; readonly fullText: string }) => (
  <details class="full-text">
    <summary title={fullText}>{text}</summary>
    <code>{fullText}</code>
  </details>
);
