/** Icons next to texts. Screen readers read only the texts. */
import type { ComponentChildren } from "preact";

function Icon({ children }: { readonly children: ComponentChildren }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" fill="currentColor">
      {children}
    </svg>
  );
}

export const HeartIcon = () => (
  <Icon>
    <path d="M2 3h4v2h4V3h4v2h2v4h-2v2h-2v2h-2v2H6v-2H4v-2H2V9H0V5h2z" />
  </Icon>
);
export const EyeIcon = () => (
  <Icon>
    <path d="M8 3C4 3 1.4 6 .5 8c.9 2 3.5 5 7.5 5s6.6-3 7.5-5C14.6 6 12 3 8 3m0 8a3 3 0 1 1 0-6 3 3 0 0 1 0 6m0-1.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3" />
  </Icon>
);
export const PauseIcon = () => (
  <Icon>
    <path d="M3 2h4v12H3zm6 0h4v12H9z" />
  </Icon>
);
export const PlayIcon = () => (
  <Icon>
    <path d="M4 2h2v2h2v1h2v2h2v2h-2v2H8v1H6v2H4z" />
  </Icon>
);
export const LeftIcon = () => (
  <Icon>
    <path d="M11 2v12H9v-2H7v-2H5V6h2V4h2V2z" />
  </Icon>
);
export const RightIcon = () => (
  <Icon>
    <path d="M5 2v12h2v-2h2v-2h2V6H9V4H7V2z" />
  </Icon>
);
export const StepIcon = () => (
  <Icon>
    <path d="M3 2h2v2h2v1h2v2h2v2H9v2H7v1H5v2H3zm9 0h2v12h-2z" />
  </Icon>
);
export const StepBackIcon = () => (
  <Icon>
    <path d="M13 2h-2v2H9v1H7v2H5v2h2v2h2v1h2v2h2zM4 2H2v12h2z" />
  </Icon>
);
export const FullScreenIcon = () => (
  <Icon>
    <path d="M2 2h5v2H4v3H2zm7 0h5v5h-2V4H9zM2 9h2v3h3v2H2zm10 0h2v5H9v-2h3z" />
  </Icon>
);
