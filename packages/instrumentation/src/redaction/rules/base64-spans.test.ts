import { encodeValue } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { leaksIn, PLANTED_SECRETS } from '../../testing/index.ts';
import { redactedChunks, redactedValue } from '../places/redact-value.ts';
import { comparableText } from '../redactor/comparable-text.ts';
import { Redactor } from '../redactor/redactor.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;
const redactor = new Redactor({ options: {}, key: () => key });

function kept(value: unknown): string {
  return redactedValue(redactor, encodeValue(value)).payload.data ?? '';
}

function member(value: unknown): string {
  return (JSON.parse(kept(value)) as { content: string }).content;
}

function inLines(base64: string): string {
  return `${base64.match(/.{1,60}/g)?.join('\n')}\n`;
}

function plainOf(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

describe.each(PLANTED_SECRETS)('$kind in a file that comes as base64', ({ kind, secret, text }) => {
  const file = `# settings of the service\n\n${text}\n# the end\n`;
  const leaks = (found: string): string[] => leaksIn(found, [{ kind, secret, text }]);

  it.each(['base64', 'base64url'] as const)(
    'is found in one line of %s, and the rest of the file stays',
    (encoding) => {
      const plain = plainOf(member({ content: Buffer.from(file).toString(encoding) }));
      expect(leaks(plain)).toEqual([]);
      expect(plain).toMatch(/^# settings of the service\n[\s\S]*\[redacted:[\s\S]*# the end\n$/);
    },
  );

  it('is found in lines, as a host of code gives it, also in JSON within a text', () => {
    const answer = { encoding: 'base64', content: inLines(Buffer.from(file).toString('base64')) };
    const alone = plainOf(member(answer));
    expect(leaks(alone)).toEqual([]);
    const inside = JSON.parse(member({ content: JSON.stringify(answer) })) as typeof answer;
    expect(plainOf(inside.content)).toBe(alone);
  });
});

describe('a text in base64', () => {
  const secret = PLANTED_SECRETS.find(({ kind }) => kind === 'OpenAI key')?.text ?? PLANTED_SECRETS[0]?.text ?? '';

  it('is looked into within another one, and where it streams in pieces', () => {
    const file = Buffer.from(`token of the service: ${secret}`).toString('base64');
    const outer = JSON.parse(plainOf(member({ content: Buffer.from(JSON.stringify({ file })).toString('base64') })));
    expect(plainOf((outer as { file: string }).file)).toMatch(/^token of the service: \[redacted:/);
    const pieces = (file.match(/.{1,10}/g) ?? []).map((piece) => ({ offsetUs: 0, value: encodeValue(piece) }));
    const streamed = redactedChunks(redactor, pieces).map(
      ({ value }) => JSON.parse(value.payload.data ?? '""') as string,
    );
    expect(plainOf(streamed.join(''))).toMatch(/^token of the service: \[redacted:/);
  });

  it('ends where its lines do, whatever begins the next one', () => {
    const written = Buffer.from(`token of the service: ${secret}`).toString('base64');
    for (const end of ['\nNEXT_NAME=3', '\nnext', `\n${'c'.repeat(64)}`]) {
      const found = member({ content: `FIRST_NAME=${written}${end}` });
      expect(plainOf(found.slice('FIRST_NAME='.length).split('\n')[0] ?? '')).toMatch(
        /^token of the service: \[redacted:/,
      );
      expect(found.endsWith(end)).toBe(true);
    }
  });

  it('is the same once more where a replay has served it', () => {
    const served = member({ content: inLines(Buffer.from(`key: ${secret} and more of the file`).toString('base64')) });
    expect(member({ content: served })).toBe(served);
    expect(redactedValue(redactor, encodeValue({ content: served })).redacted).toEqual(['/content']);
  });

  it('compares without the key as the text that it is', () => {
    const written = Buffer.from(`key: ${secret} and more of the file`).toString('base64');
    const [ours, theirs] = ['a test key', 'another key'].map((bytes) => {
      const other = new Redactor({ options: {}, key: () => ({ ...key, bytes: Buffer.from(bytes) }) });
      return other.text(`given: ${written}`);
    });
    expect(ours).not.toBe(theirs);
    expect(comparableText(ours ?? '', 'kept')).not.toBe(comparableText(theirs ?? '', 'kept'));
    expect(comparableText(ours ?? '', 'dropped')).toBe(comparableText(theirs ?? '', 'dropped'));
    expect(comparableText(ours ?? '', 'dropped')).toContain('given: key: [redacted] and more of the file');
  });

  it('is looked for in linear time', () => {
    const line = Buffer.from('a text of some length, of which there are many of the same one').toString('base64');
    const isFast = (lines: readonly string[]): boolean => {
      const started = performance.now();
      redactor.mayHold(lines.join('\n'));
      return performance.now() - started < 2_000;
    };
    const binary = Array.from({ length: 20_000 }, (_, at) => Buffer.alloc(45, at % 251).toString('base64'));
    expect(isFast(binary)).toBe(true);
    expect(isFast([...Array.from({ length: 20_000 }, () => line), Buffer.alloc(30).toString('base64')])).toBe(true);
  });

  it('stays as it is where it holds no secret, as do bytes that are no text, and names', () => {
    const values = [
      inLines(
        Buffer.from('# Read me\n\nNothing is secret in here, and it says so twice: nothing.\n').toString('base64'),
      ),
      Buffer.from(Array.from({ length: 90 }, (_, at) => (at * 167) % 256)).toString('base64'),
      'a-long-name-of-a-branch-that-somebody-chose/with_a_part_of_its_own',
      'c'.repeat(64),
    ];
    for (const content of values) expect(member({ content })).toBe(content);
  });
});
