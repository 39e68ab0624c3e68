import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markSearched, redactedHeaders } from '../places/redact-headers.ts';
import { Redactor } from './redactor.ts';
import { rememberingSearch } from './searched-texts.ts';

function redactorOf(options: ConstructorParameters<typeof Redactor>[0]['options'] = {}): Redactor {
  return new Redactor({ options, key: () => ({ id: 'k', bytes: Buffer.alloc(32, 7), source: 'environment' }) });
}

const name = fc.constantFrom('authorization', 'x-api-key', 'x-a', 'date', 'set-cookie', 'token');
const value = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom('Bearer abcdefgh12345678', 'sid=abcdef0123456789', ''),
);
const headerLists = fc.array(fc.array(fc.tuple(name, value), { maxLength: 4 }), { maxLength: 12 });

describe('redactedHeaders', () => {
  it('gives and counts what a redactor without a memory gives and counts, however often a header was met', () => {
    fc.assert(
      fc.property(headerLists, (lists) => {
        const [remembering, forgetful] = [redactorOf(), redactorOf()];
        for (const list of lists) {
          const long = list.map(([key, text]) => [key, forgetful.namedText(key, text)]);
          expect(redactedHeaders(remembering, list)).toEqual(long);
          expect(remembering.found).toEqual(forgetful.found);
        }
      }),
    );
  });

  it('takes a list as searched only from the redactor that searched it', () => {
    const [one, other] = [redactorOf(), redactorOf()];
    const headers = [['authorization', 'Bearer abcdefgh12345678']] as const;
    markSearched(one, headers);
    expect(redactedHeaders(one, headers)).toBe(headers);
    expect(redactedHeaders(other, headers)[0]?.[1]).toContain('[redacted:');
  });
});

describe('rememberingSearch', () => {
  it('asks a rule of the user each time, which may know more by then', () => {
    const known: string[] = [];
    const redactor = redactorOf({ rules: [{ id: 'customer', why: 'It names a customer.', find: () => known }] });
    const search = rememberingSearch((redactorNow, _name, text) => redactorNow.text(text));
    expect(search(redactor, 'note', 'Ada called')).toBe('Ada called');
    known.push('Ada');
    expect(search(redactor, 'note', 'Ada called')).toMatch(/^\[redacted:customer:[0-9a-f]{16}\] called$/);
  });
});
