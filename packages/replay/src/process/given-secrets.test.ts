import { buildRecording } from '@reenact/recordings/testing';
import { type Crossing, payloadOf } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { GivenSecrets } from './given-secrets.ts';
import { recordedRequestOf } from './recorded-request.ts';

const tokens = Object.fromEntries(
  ['a', 'b', 'c', 'd'].map((letter) => [letter, `[redacted:named-value:${letter.repeat(16)}]`]),
);
const { a = '', b = '', c = '', d = '' } = tokens;
const signal = new AbortController().signal;
const contentType = 'application/json';

interface Recorded {
  readonly headers?: readonly (readonly [string, string])[];
  readonly url?: string;
  readonly body?: string;
  readonly cookies?: readonly string[];
}

function requestWith({ headers = [], url = '/', body, cookies = [] }: Recorded): Crossing {
  const all = [...headers, ['content-type', contentType], ...(cookies.length === 0 ? [] : [['Cookie', d]])];
  const [root] = buildRecording({
    label: 'agent:POST /',
    redacted: ['/input/body'],
    attributes: cookies.length === 0 ? {} : { 'reenact.cookies.brought': [...cookies] },
  }).roots;
  if (root === undefined) throw new TypeError('the recording has no root');
  const input = {
    method: 'POST',
    url,
    contentType,
    headers: all,
    ...(body === undefined ? {} : { body: { text: body } }),
  };
  return { ...root, input: payloadOf('json', JSON.stringify(input)) };
}

function answerWith(body: object, cookies: readonly string[] = []): Crossing {
  const [root] = buildRecording({
    label: 'agent:POST /login',
    output: { status: 200, body },
    redacted: ['/output/body'],
    attributes: { 'reenact.cookies.given': [...cookies] },
  }).roots;
  if (root === undefined) throw new TypeError('the recording has no root');
  return root;
}

function answered(given: GivenSecrets, root: Crossing, live: { cookies?: string[]; body?: string }): void {
  const reader = given.reading(root);
  reader.head(live.cookies ?? []);
  reader.chunk(Buffer.from(live.body ?? ''));
  reader.over();
}

async function filledBy(given: GivenSecrets, recorded: Recorded) {
  const root = requestWith(recorded);
  return given.filled(recordedRequestOf(root), given.reading(root), signal);
}

describe('a request that brings back what answers gave', () => {
  it('is sent with the cookies that they set in this replay, and without the others', async () => {
    const given = new GivenSecrets();
    answered(given, answerWith({}, [`sid=${a}`, `theme=${b}`]), {
      cookies: ['theme=dark; Path=/', 'sid=new; HttpOnly'],
    });
    const { headers, withheld } = await filledBy(given, { cookies: [`sid=${a}`, `other=${c}`, `theme=${b}`, 'none='] });
    expect(headers).toContainEqual(['cookie', 'sid=new; theme=dark; none=']);
    expect(withheld).toEqual(['cookie other']);
  });

  it('is sent with those of its own user, of several who have the same cookie', async () => {
    const given = new GivenSecrets();
    answered(given, answerWith({}, [`sid=${a}`]), { cookies: ['sid=ann'] });
    answered(given, answerWith({}, [`sid=${b}`]), { cookies: ['sid=bob'] });
    expect((await filledBy(given, { cookies: [`sid=${a}`] })).headers).toContainEqual(['cookie', 'sid=ann']);
    expect((await filledBy(given, { cookies: [`sid=${b}`] })).headers).toContainEqual(['cookie', 'sid=bob']);
  });

  it('is sent with a token of a body in its header, address and body', async () => {
    const given = new GivenSecrets();
    answered(given, answerWith({ json: { tokens: [a, b] } }), { body: '{"tokens":["t1","say \\"t2\\""]}' });
    const { headers, target, body, withheld, isBodyRedacted } = await filledBy(given, {
      headers: [['Authorization', `Bearer ${a}`]],
      url: `/?token=${a}&other_token=${c}`,
      body: `{"refresh":"${b}"}`,
    });
    expect(headers).toContainEqual(['Authorization', 'Bearer t1']);
    expect(target).toBe(`/?token=t1&other_token=${c}`);
    expect(JSON.parse(body.toString())).toEqual({ refresh: 'say "t2"' });
    expect([withheld, isBodyRedacted]).toEqual([['query parameter other_token'], false]);
  });

  it('is sent without what an answer of another form did not give', async () => {
    const given = new GivenSecrets();
    answered(given, answerWith({ json: { token: a } }, [`sid=${b}`]), { cookies: ['sid2=x'], body: 'no JSON' });
    const { headers, withheld } = await filledBy(given, { headers: [['Authorization', a]], cookies: [`sid=${b}`] });
    expect(headers).toEqual([['content-type', contentType]]);
    expect(withheld).toEqual(['authorization', 'cookie sid']);
  });

  it('waits for the answer that is to give it, and for no later one', async () => {
    const given = new GivenSecrets();
    const reader = given.reading(answerWith({}, [`sid=${a}`]));
    const waiting = filledBy(given, { cookies: [`sid=${a}`] });
    given.reading(answerWith({}, [`sid=${b}`]));
    reader.head(['sid=late']);
    expect((await waiting).headers).toContainEqual(['cookie', 'sid=late']);
    expect((await filledBy(new GivenSecrets(), { cookies: [`sid=${b}`] })).withheld).toEqual(['cookie sid']);
  });
});
