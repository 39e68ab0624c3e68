import { PAGE_DIRECTORY } from '@reenact/ui';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crossingSpan, send } from '../../conformance/query/run-corpus.ts';
import { spanIdOf, Testbed, traceIdOf } from '../../conformance/testbed.ts';
import { findFirefox } from './find-browser.ts';
import { type FirefoxWindow, openFirefox } from './firefox-window.ts';

const program = findFirefox();

const runOf = (trace: number) => [
  crossingSpan({ trace, span: trace * 10, kind: 'agent', name: `clerk_${trace}`, atSecond: trace }),
  crossingSpan({ trace, span: trace * 10 + 1, parent: trace * 10, name: 'refund', input: [{ usd: trace }] }),
];

describe.skipIf(program === undefined)('the page of the collector, in Firefox', () => {
  const testbed = new Testbed();
  let firefox: FirefoxWindow;

  beforeAll(async () => {
    firefox = await openFirefox(program ?? '');
  });
  afterAll(async () => {
    await firefox?.close();
    await testbed.dispose();
  });

  /** Waits until an expression has this value in the page. */
  const shows = (expression: string, value: unknown) =>
    expect.poll(() => firefox.evaluate(expression), { timeout: 20_000 }).toEqual(value);

  it('shows runs as they come, what went into a crossing, and the list where it was left', async () => {
    const { httpUrl } = await testbed.start({}, { pageDirectory: PAGE_DIRECTORY });
    await send(httpUrl, Array.from({ length: 60 }, (_, index) => runOf(index + 1)).flat());
    await firefox.open(`${httpUrl}/`);
    await shows(`document.querySelectorAll('[data-run]').length`, 50);
    await shows(`document.querySelector('.live').textContent`, 'live');
    await send(httpUrl, runOf(61));
    await shows(`document.querySelector('[data-run] a').textContent`, 'agent:clerk_61');
    await firefox.evaluate(
      `[...document.querySelectorAll('button')].find((each) => each.textContent === 'Earlier runs').click()`,
    );
    await shows(`document.querySelectorAll('[data-run]').length`, 61);

    const row = `document.querySelector('[data-run="${traceIdOf(5)}"]')`;
    await firefox.evaluate(`${row}.scrollIntoView()`);
    await firefox.evaluate(`${row}.querySelector('a').click()`);
    await shows(`document.querySelector('.panel h2')?.textContent`, 'agent clerk_5');
    await firefox.evaluate(`document.querySelector('[data-span="${spanIdOf(51)}"]').click()`);
    await shows(`document.querySelector('.panel h2').textContent`, 'tool refund');
    await shows(`document.querySelector('.panel pre')?.textContent`, '[{"usd":5}]');
    await firefox.evaluate('history.back()');
    await shows(`document.querySelectorAll('[data-run]').length`, 61);
    const isSeen = `((box) => box !== undefined && box.top >= 0 && box.bottom <= innerHeight)(${row}?.getBoundingClientRect())`;
    await shows(isSeen, true);
    await firefox.evaluate('(globalThis.isBefore = true, setTimeout(() => location.reload(), 0))');
    await shows('globalThis.isBefore === undefined', true);
    await shows(isSeen, true);
    expect(firefox.complaints).toEqual([]);
  });
});
