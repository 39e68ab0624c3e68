import { offPair } from '@reenact/trace-model/words';
import { useMemo, useState } from 'preact/hooks';
import { CopyButton } from '../shown/copy-button.tsx';
import { prettyJson } from '../words/pretty-json.ts';
import { shownCount } from '../words/shown-count.ts';
import { textPieces } from '../words/text-pieces.ts';

/** More than this is shown only once somebody wants it: a browser takes seconds to lay out megabytes. */
const CHARACTERS_FIRST = 20_000;

interface LongTextProps {
  readonly text: string;
  /** What somebody said, which stands as it is. Of all else, JSON stands on lines of its own. */
  readonly isProse?: boolean;
}

/** A text that may be long, to be copied exactly. */
export function LongText({ text, isProse = false }: LongTextProps) {
  const [isWhole, setIsWhole] = useState(false);
  const charactersMax = isWhole ? Number.POSITIVE_INFINITY : CHARACTERS_FIRST;
  const shown = useMemo(() => (isProse ? text : prettyJson(text, charactersMax)), [text, isProse, charactersMax]);
  const pieces = useMemo(() => (isWhole ? textPieces(shown) : []), [shown, isWhole]);
  const isCut = shown.length > charactersMax;
  return (
    <div class="text">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      <pre class={isProse ? 'prose' : 'code'} tabIndex={0}>
        {isWhole
          ? pieces.map((piece, place) => (
              <span key={place} class="piece">
                {piece}
              </span>
            ))
          : isCut
            ? `${shown.slice(0, offPair(shown, charactersMax))} …`
            : shown}
      </pre>
      <div class="tools">
        {isCut ? (
          <button type="button" class="quiet" onClick={() => setIsWhole(true)}>
            Show all {shownCount(text.length)} characters
          </button>
        ) : null}
        <CopyButton text={text} />
      </div>
    </div>
  );
}
