import type { Asked } from '../reading/use-answer.ts';
import { FailureNotice } from './failure-notice.tsx';

interface AskedFailureProps {
  readonly asked: Asked<unknown>;
  readonly onAgain: () => void;
}

/** Why a question has no answer, or why what was answered is not what it would be now; nothing where neither is so. */
export function AskedFailure({ asked, onAgain }: AskedFailureProps) {
  const failure = asked.state === 'answered' ? asked.failure : asked;
  if (failure === undefined || !('error' in failure)) return null;
  return <FailureNotice error={failure.error} isTriedAgain={failure.isTriedAgain} onAgain={onAgain} />;
}
