import type { ComponentChildren } from 'preact';
import { CopyButton } from './copy-button.tsx';

/** What to type, to be copied. */
export function Command({ label, text }: { readonly label: ComponentChildren; readonly text: string }) {
  return (
    <p class="command">
      {label} <code>{text}</code> <CopyButton text={text} />
    </p>
  );
}
