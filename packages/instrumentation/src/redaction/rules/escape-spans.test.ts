import { describe, expect, it } from 'vitest';
import { PLANTED_SECRETS } from '../../testing/planted-secrets.ts';
import { bodyEdits } from '../places/redact-body.ts';
import { Redactor } from '../redactor/redactor.ts';
import { editedText } from '../text/text-edit.ts';

const known = ['p4$$w0rd/+x', 'ünïcode-pässwörd', 'a b&c=d+e', '密码-é-密码'];
const redactor = new Redactor({
  options: {},
  known: known.map((text) => ({ text, rule: 'environment' })),
  key: () => ({ bytes: Buffer.from('a test key'), id: 'test', source: 'environment' }),
});

function inDigits(unit: string, digits: (hex: string) => string): string {
  return `\\u${digits(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`;
}

/** As those write JSON who escape more of it than they must. */
const writers: Readonly<Record<string, (json: string) => string>> = {
  '.NET': (json) => json.replace(/[+&<>'=`\u0080-\uffff]/g, (unit) => inDigits(unit, (hex) => hex.toUpperCase())),
  PHP: (json) => json.replaceAll('/', '\\/').replace(/[\u0080-\uffff]/g, (unit) => inDigits(unit, (hex) => hex)),
};

const places: Readonly<Record<string, (json: string) => string>> = {
  'a document': (json) => json,
  'words around it': (json) => `gave ${json} at last`,
  'another document': (json) => JSON.stringify({ body: json }),
  'an event': (json) => `data: ${json}\n\n`,
};

/** What a reader of the JSON gets, whatever stands around it. */
function read(text: string): string {
  const escapes = /\\(?:u([0-9A-Fa-f]{4})|(["\\/]))/g;
  const once = (written: string): string =>
    written.replaceAll(escapes, (_, hex?: string, itself = '') =>
      hex === undefined ? itself : String.fromCharCode(Number.parseInt(hex, 16)),
    );
  return once(once(text)).replaceAll('\\n', '\n');
}

const secrets = [...PLANTED_SECRETS, ...known.map((text) => ({ kind: text, secret: text, text }))];

describe.each(Object.entries(writers))('JSON as %s writes it', (_writer, write) => {
  it.each(Object.entries(places))('gives away no secret: %s', (_place, place) => {
    const leaks = secrets.flatMap(({ kind, secret, text }) => {
      const written = place(write(JSON.stringify({ note: text })));
      const body = editedText(written, bodyEdits(redactor, written, ''));
      return [redactor.text(written), body].some((left) => read(left).includes(secret)) ? [kind] : [];
    });
    expect(leaks).toEqual([]);
  });
});

describe('a secret with escapes', () => {
  it('has the token that it has without, and leaves around it what was there', () => {
    const [plain = ''] = known;
    const token = redactor.text(plain);
    expect(token).toMatch(/^\[redacted:environment:[0-9a-f]{16}\]$/);
    const written = '{"a":"\\/\\u002B","b":"p4$$w0rd\\/\\u002Bx","c":"\\\\u002B"}';
    expect(redactor.text(written)).toBe(`{"a":"\\/\\u002B","b":"${token}","c":"\\\\u002B"}`);
  });

  it('is no secret where a backslash stands for itself', () => {
    const path = 'C:\\\\u002Bx\\\\p4$$w0rd\\\\u002F';
    expect(redactor.text(path)).toBe(path);
  });

  it.each([
    ['ends with a backslash', 'C:\\temp\\'],
    ['is followed by a quote of its own', 'say "it\\"'],
  ])('leaves the JSON around it as such where it %s', (_, password) => {
    const document = `${JSON.stringify({ password, user: 'bob' }).slice(0, -1)},"at":"a\\/b"}`;
    const redacted = redactor.text(`gave ${document} at last`).slice('gave '.length, -' at last'.length);
    expect(JSON.parse(redacted)).toEqual({ password: expect.stringMatching(/^\[redacted:/), user: 'bob', at: 'a/b' });
    const body = JSON.stringify({ arguments: document });
    const { arguments: given } = JSON.parse(editedText(body, bodyEdits(redactor, body, ''))) as { arguments: string };
    expect(JSON.parse(given)).toMatchObject({ user: 'bob', at: 'a/b' });
  });

  it('is found as an address has it that leaves signs of addresses alone', () => {
    const address = `https://example.com/search?q=${encodeURI('a b&c=d+e')}&page=2`;
    expect(redactor.text(address)).toBe(`https://example.com/search?q=${redactor.text('a b&c=d+e')}&page=2`);
  });
});

describe.each(['\0', '\0\u0001\0\u001f'])('a file that is padded', (unit) => {
  const padding = unit.repeat((4 * 1024 * 1024) / unit.length);

  it('is searched in the time that a text takes', () => {
    const written = JSON.stringify(padding);
    // Time of the processor: on a busy machine that of a clock is mostly other processes'.
    const started = process.cpuUsage();
    expect(redactor.mayHold(written)).toBe(false);
    const { user, system } = process.cpuUsage(started);
    expect(user + system).toBeLessThan(1_500_000);
  });

  it('is searched for secrets all the same, in and behind the padding', () => {
    const some = padding.slice(0, 2_500);
    const [{ secret = '', text = '' } = {}] = PLANTED_SECRETS;
    for (const file of [`${some}${text}`, `${text}${some}`, `a${some}${text}\0${some}`]) {
      expect(redactor.text(JSON.stringify(file))).not.toContain(secret);
    }
  });
});
