import { useEffect, useState } from 'preact/hooks';

const SAID_MS = 1_500;

/** Copies a text, and says that it did. Where the page may not, as over plain http from another machine, the text is selected to be copied by hand. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => setSaid(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = (): void => {
    const { clipboard } = navigator as { readonly clipboard?: Clipboard };
    if (clipboard === undefined) return void prompt('Copy this:', text);
    clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => prompt('Copy this:', text),
    );
  };
  return (
    <button type="button" class="quiet" onClick={copy} title={text.length < 200 ? text : undefined}>
      <span aria-live="polite">{said === '' ? label : said}</span>
    </button>
  );
}
