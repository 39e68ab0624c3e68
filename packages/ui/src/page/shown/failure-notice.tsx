import { isReenactError } from '@reenact/trace-model/reenact-error';
import { useContext } from 'preact/hooks';
import { AccessContext } from '../reading/access-context.ts';
import { SeenTenant } from './seen-tenant.tsx';
import { TokenForm } from './token-form.tsx';

interface FailureNoticeProps {
  readonly error: unknown;
  /** Whether it is tried again without anybody who asks for it. */
  readonly isTriedAgain?: boolean;
  readonly onAgain?: () => void;
}

/** What went wrong, and what to do about it: where the collector wants to know who asks, it is asked for. */
export function FailureNotice({ error, isTriedAgain = false, onAgain }: FailureNoticeProps) {
  const { access, give } = useContext(AccessContext);
  if (isReenactError(error) && (error.code === 'unauthenticated' || error.code === 'access-denied'))
    return <TokenForm title="This collector wants a token" given={access} refused={error.message} onGiven={give} />;
  const message = error instanceof Error ? error.message : String(error);
  const next = isReenactError(error) ? error.next : undefined;
  return (
    <div class="notice bad" role="alert">
      <p>
        <strong>{message}</strong>
      </p>
      {next === undefined ? null : <p>{next}</p>}
      {isTriedAgain ? <p>It is tried again by itself.</p> : null}
      {isReenactError(error) && error.code === 'not-found' ? <SeenTenant /> : null}
      {onAgain === undefined ? null : (
        <button type="button" onClick={onAgain}>
          Try again{isTriedAgain ? ' now' : ''}
        </button>
      )}
    </div>
  );
}
