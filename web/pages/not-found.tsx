import { PixelText } from "../components/pixels.tsx";
import { NOT_FOUND_LABELS } from "../labels/frame.ts";

export function NotFoundPage() {
  return (
    <div class="not-found">
      <h1>
        <PixelText text={NOT_FOUND_LABELS.title} />
      </h1>
      <p>{NOT_FOUND_LABELS.text}</p>
      <a class="button" href="/">
        {NOT_FOUND_LABELS.back}
      </a>
    </div>
  );
}
