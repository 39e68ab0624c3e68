import type { Recording } from '@reenact/trace-model';
import { reenactDialect } from './reenact/reenact-dialect.ts';

/**
 * Whether log events may hold what this recording lacks: other instrumentations put there what was said. Where it is so, assemble it
 * again with the log records of its trace.
 */
export function awaitsLogEvents({ crossings, replayability }: Recording): boolean {
  return replayability.verdict === 'cold' && crossings.some(({ dialect }) => dialect !== reenactDialect.name);
}
