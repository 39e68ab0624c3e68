import { ReenactError } from '@reenact/trace-model';
import type { Admission } from '../gate/gate.ts';
import { reportFailure } from '../host/report-failure.ts';
import { wireMode } from './current-gate.ts';

/** What is said where a call cannot even be described. */
export type WithoutDescription = Extract<Admission, { type: 'pass' | 'refuse' }>;

/** For who meets a failure of ours before the gate was asked: what was called passes outside replays and is refused inside them. Never throws. */
export function withoutDescription(what: string, thrown: unknown): WithoutDescription {
  reportFailure(`describing ${what}`, thrown);
  if (wireMode() !== 'replay') return { type: 'pass' };
  const error = new ReenactError('replay-refused', `Reenact failed while it described ${what}.`, {
    next: 'Nothing was called. Report this as a bug of Reenact, with the cause below.',
    cause: thrown,
  });
  return { type: 'refuse', error };
}

/**
 * What the gate says to a call that `ask` describes and admits; `what`: "a tool call". Where that fails, it passes outside replays and is refused inside
 * them: nothing goes live there because Reenact failed. Never throws.
 */
export function admitDescribed(what: string, ask: () => Admission): Admission {
  try {
    return ask();
  } catch (thrown) {
    return withoutDescription(what, thrown);
  }
}
