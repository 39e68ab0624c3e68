import { counted } from '@reenact/trace-model/words';

/** Says that an answer may lack runs. */
export function UnsummarisedNote({
  count,
  onAgain,
}: {
  readonly count: number | undefined;
  readonly onAgain: () => void;
}) {
  if (count === undefined) return null;
  return (
    <p class="notice" role="status">
      {counted(count, 'run')} {count === 1 ? 'is' : 'are'} new or changed and not summarised yet.{' '}
      <button type="button" class="quiet" onClick={onAgain}>
        Look again
      </button>
    </p>
  );
}
