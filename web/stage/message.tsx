/** A card over the picture: what is going on, and what can be done. */
import type { ComponentChildren } from "preact";
import { Pixels } from "../parts/pixels.tsx";

interface MessageProps {
  readonly title?: string;
  readonly sentence?: string;
  readonly children?: ComponentChildren;
}

export function Message({ title, sentence, children }: MessageProps) {
  return (
    <div class="overlay" role="status">
      <div class="card">
        {title !== undefined && (
          <h2>
            <Pixels text={title} />
          </h2>
        )}
        {sentence !== undefined && <p class="sentence">{sentence}</p>}
        <div class="card-ways">{children}</div>
      </div>
    </div>
  );
}
