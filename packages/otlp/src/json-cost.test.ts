import { expect, it } from 'vitest';
import { walkTracesJson } from './json-request-walker.ts';

const SPANS = 50_000;
const ATTRIBUTES = 100_000;
const ROUNDS = 4;

const SPAN = `"traceId":"${'07'.repeat(16)}","spanId":"${'08'.repeat(8)}"`;
const attributes = Array.from({ length: ATTRIBUTES }, (_, at) => `{"key":"k${at}","value":{"stringValue":"v"}}`);

function request(spans: readonly string[], resource = ''): Buffer {
  return Buffer.from(`{"resourceSpans":[{"resource":{${resource}},"scopeSpans":[{"spans":[${spans.join(',')}]}]}]}`);
}

/** The least of several rounds: time of the processor, for others may use it as well. */
function cost(body: Buffer): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    expect(walkTracesJson(body).ok).toBe(true);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...rounds);
}

it('bad spans cost about as much as good ones, however many a request has', { timeout: 60_000 }, () => {
  const good = cost(request(Array.from({ length: SPANS }, () => `{${SPAN}}`)));
  const bad = cost(request(Array.from({ length: SPANS }, () => '{"traceId":"zz"}')));
  expect(bad / good).toBeLessThan(2.5);
});

it('attributes of a resource cost about as much as those of a span', { timeout: 60_000 }, () => {
  const ofSpan = cost(request([`{${SPAN},"attributes":[${attributes.join(',')}]}`]));
  const ofResource = cost(request([`{${SPAN}}`], `"attributes":[${attributes.join(',')}]`));
  expect(ofResource / ofSpan).toBeLessThan(2.5);
});
