import { useEffect, useState } from 'preact/hooks';

const SAID_MS = 1_500;

/** The older way to copy, by a selection: over plain http from another machine a page has no clipboard. No letter of the text is changed. */
function copySelected(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.className = 'unseen';
  field.value = '-';
  const give = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
  };
  document.body.append(field);
  field.select();
  field.addEventListener('copy', give);
  const isCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}

/** Copies a text exactly, and says whether it did. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => setSaid(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const say = (isCopied: boolean): void => setSaid(isCopied ? 'Copied' : 'The browser refuses');
  const copy = (): void => {
    const { clipboard } = navigator as { readonly clipboard?: Clipboard };
    if (clipboard === undefined) say(copySelected(text));
    else
      clipboard.writeText(text).then(
        () => say(true),
        () => say(copySelected(text)),
      );
  };
  return (
    <button type="button" class="quiet" onClick={copy} title={text.length < 200 ? text : undefined}>
      <span aria-live="polite">{said === '' ? label : said}</span>
    </button>
  );
}
