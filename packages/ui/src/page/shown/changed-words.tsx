import type { WordChange } from '../words/word-changes.ts';

/** Both texts in one: what is in the one before alone is struck out. */
export function ChangedWords({ changes }: { readonly changes: readonly WordChange[] }) {
  return (
    <>
      {changes.map(({ text, side }, place) => {
        if (side === 'both') return text;
        return side === 'before' ? <del key={place}>{text}</del> : <ins key={place}>{text}</ins>;
      })}
    </>
  );
}

interface OneSideProps {
  readonly changes: readonly WordChange[];
  readonly side: 'before' | 'after';
}

/** One of both texts, with what the other one does not have marked. */
export function MarkedWords({ changes, side: shown }: OneSideProps) {
  return (
    <>
      {changes.map(({ text, side }, place) => {
        if (side === 'both') return text;
        return side === shown ? (
          <mark key={place} class={side}>
            {text}
          </mark>
        ) : null;
      })}
    </>
  );
}
