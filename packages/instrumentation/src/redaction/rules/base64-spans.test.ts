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

const secret = PLANTED_SECRETS.find(({ kind }) => kind === 'OpenAI key')?.text ?? PLANTED_SECRETS[0]?.text ?? '';

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
      // Time of the processor: on a busy machine that of a clock is mostly other processes'.
      const started = process.cpuUsage();
      redactor.mayHold(lines.join('\n'));
      const { user, system } = process.cpuUsage(started);
      return user + system < 2_000_000;
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

describe('a text in base64 within another text', () => {
  it.each(['Output:\n', 'a mail\r\n\r\n', 'name\t', 'a form\f', 'equals\u2028', 'C:\\'])(
    'is found behind %j, however that is escaped',
    (before) => {
      const file = `token of the service: ${secret}\nand more ??>>~~ of it, ??>>~~ that slashes tell of: ${'?>~'.repeat(6)}`;
      const written = Buffer.from(file).toString('base64');
      for (const base64 of [written, inLines(written)]) {
        const text = before + base64;
        const inside = JSON.stringify({ text });
        const found = [
          member({ content: text }),
          (JSON.parse(member({ content: inside })) as { text: string }).text,
          (JSON.parse(member({ content: inside.replaceAll('/', '\\/') })) as { text: string }).text,
        ];
        for (const one of found) {
          expect(one.startsWith(before)).toBe(true);
          expect(plainOf(one.slice(before.length))).toMatch(/^token of the service: \[redacted:/);
        }
      }
    },
  );

  it('is found as forms and pages have it, and is written as they do', () => {
    const file = `token of the service: ${secret} ??>>~~ and more, ${'?>~'.repeat(6)}`;
    const written = Buffer.from(file).toString('base64');
    expect(written).toMatch(/\+.*\/|\/.*\+/);
    const form = new URLSearchParams(member({ content: new URLSearchParams({ a: '1', file: written }).toString() }));
    const page = member({ content: `<p>${written.replaceAll('/', '&#47;').replaceAll('+', '&#43;')}</p>` });
    for (const found of [form.get('file') ?? '', page.slice('<p>'.length, -'</p>'.length)]) {
      expect(found).toMatch(/^[A-Za-z0-9+/]+=*$/);
      expect(plainOf(found)).toMatch(/^token of the service: \[redacted:[^\]]*\] \?\?>>~~ and more/);
    }
  });

  it('is padded as it was, however the padding is escaped', () => {
    const written = Buffer.from(`key: ${secret} `.padEnd(100)).toString('base64');
    expect(written.endsWith('==')).toBe(true);
    const escaped = JSON.stringify({ written }).replaceAll('=', '\\u003d');
    const found = (JSON.parse(member({ content: escaped })) as { written: string }).written;
    expect(found.length % 4).toBe(0);
  });
});

describe('lines of base64', () => {
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

  it('ends with its last whole line where what follows is shorter and no base64', () => {
    const file = `${'a file of two lines, '.repeat(4)}${secret}`.padEnd(200);
    const lines =
      Buffer.from(file.slice(0, 180))
        .toString('base64')
        .match(/.{120}/g) ?? [];
    const found = member({ content: `${lines.join('\r\n')}\r\nTHE_END` });
    expect(lines.length).toBe(2);
    expect(plainOf(found.split('\r\n')[0] ?? '')).toMatch(/^(?:a file of two lines, ){4}\[redacted:[^\]]*\] +$/);
    expect(found.endsWith('\r\nTHE_END')).toBe(true);
  });

  it('is found in the last line alone where the lines above are something else', () => {
    const last = Buffer.from(`key: ${secret} and more of it.`.padEnd(90)).toString('base64');
    const above = Buffer.alloc(90, 0xfe).toString('base64');
    const found = member({ content: `${above}\n${above}\n${last}` });
    expect(plainOf(found.split('\n')[2] ?? '')).toMatch(/^key: \[redacted:/);
  });
});
