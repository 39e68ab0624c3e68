import { isReenactError } from '@reenact/trace-model/reenact-error';
import { useContext } from 'preact/hooks';
import { AccessContext } from '../reading/access-context.ts';
import { TokenForm } from './token-form.tsx';

/** What went wrong, and what to do about it: where the collector wants to know who asks, it is asked for. */
export function FailureNotice({ error, onAgain }: { readonly error: unknown; readonly onAgain?: () => void }) {
  const { access, give } = useContext(AccessContext);
  if (isReenactError(error) && (error.code === 'unauthenticated' || error.code === 'access-denied'))
    return <TokenForm given={access} refused={error.message} onGiven={give} />;
  const message = error instanceof Error ? error.message : String(error);
  const next = isReenactError(error) ? error.next : undefined;
  return (
    <div class="notice bad" role="alert">
      <p>
        <strong>{message}</strong>
      </p>
      {next === undefined ? null : <p>{next}</p>}
      {onAgain === undefined ? null : (
        <button type="button" onClick={onAgain}>
          Try again
        </button>
      )}
    </div>
  );
}
