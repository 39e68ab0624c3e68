import { describe, expect, it } from 'vitest';
import { NAMED_MEMBERS_MAX } from '../../limits.ts';
import { namedValues } from './named-values.ts';
import { Redactor } from './redactor.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;
const redactor = new Redactor({ options: {}, key: () => key });

function found(message: object): string[] {
  return [...namedValues(redactor, message).keys()];
}

describe('the values of a message that their names make secrets', () => {
  it('are found behind as many numbers as a message can have', () => {
    const numbers = Array.from({ length: 2 * NAMED_MEMBERS_MAX }, (_, index) => index);
    const packed = new Float64Array(2 * NAMED_MEMBERS_MAX);
    expect(found({ numbers, packed, password: 'open sesame' })).toEqual(['open sesame']);
  });

  it('are found behind 100,000 texts, and a message with too many to look at is given to nobody', () => {
    const texts = (length: number): string[] => Array.from({ length }, () => 'text');
    expect(found({ texts: texts(100_000), password: 'open sesame' })).toEqual(['open sesame']);
    expect(() => found({ texts: texts(NAMED_MEMBERS_MAX), password: 'open sesame' })).toThrow('it is withheld');
  });
});
