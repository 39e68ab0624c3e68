import { useState } from 'preact/hooks';
import { CopyButton } from '../shown/copy-button.tsx';
import { shownCount } from '../words/shown-count.ts';

/** More than this is shown only once somebody wants it: a browser takes seconds to lay out megabytes. */
const CHARACTERS_FIRST = 20_000;

interface LongTextProps {
  readonly text: string;
  /** What is copied, where it is not the text that is shown. */
  readonly copied?: string;
  readonly isProse?: boolean;
}

/** A text that may be long. */
export function LongText({ text, copied = text, isProse = false }: LongTextProps) {
  const [isWhole, setIsWhole] = useState(false);
  const isCut = !isWhole && text.length > CHARACTERS_FIRST;
  return (
    <div class="text">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      <pre class={isProse ? 'prose' : 'code'} tabIndex={0}>
        {isCut ? `${text.slice(0, CHARACTERS_FIRST)} …` : text}
      </pre>
      <div class="tools">
        {isCut ? (
          <button type="button" class="quiet" onClick={() => setIsWhole(true)}>
            Show all {shownCount(text.length)} characters
          </button>
        ) : null}
        <CopyButton text={copied} />
      </div>
    </div>
  );
}
