import { type DoubledMember, ReenactError } from '@reenact/trace-model';

/** Of two destinations or lists of tokens under one key the first would count for nothing, and nobody would hear of it. */
export function doubledKey(what: string, { name }: DoubledMember, where: string): ReenactError {
  return new ReenactError('bad-config', `${what} has "${name}" twice.`, {
    where,
    next: 'Leave one of them, with all that both say: of two the last alone would count.',
  });
}
