import { runStoreRequest } from '@reenact/collector';
import { createCollectorClient } from '@reenact/collector-client';
import type { TailEvent } from '@reenact/trace-model/collector-api';
import { afterEach, describe, expect, it } from 'vitest';
import { Testbed, traceIdOf } from '../testbed.ts';
import { crossingSpan, send } from './run-corpus.ts';

/** Until a tail that tells nothing is taken for one that never will. */
const VAIN_MS = 60_000;

const testbed = new Testbed();
afterEach(() => testbed.dispose());

async function startWithRuns(count: number) {
  const { httpUrl, dataDirectory, stop } = await testbed.start();
  for (let number = 1; number <= count; number += 1)
    await send(httpUrl, [crossingSpan({ trace: number, span: number })]);
  const client = createCollectorClient({ url: httpUrl });
  const { followFrom = '' } = await client.listRuns();
  const erase = (number: number) =>
    runStoreRequest(dataDirectory, { type: 'delete-trace', tenant: 'default', id: traceIdOf(number) });
  return { httpUrl, dataDirectory, client, followFrom, erase, stop };
}

function wordsOf({ event, data }: TailEvent): string {
  if ('traceIds' in data) return `${event} ${data.traceIds.join(' ')}`;
  return 'traceId' in data ? `${event} ${data.traceId}` : event;
}

type Started = Awaited<ReturnType<typeof startWithRuns>>;

/** What a tail tells until a word of it is the last that is wanted; `onConnected` once it has begun. */
async function toldUntil(
  { client }: Pick<Started, 'client'>,
  from: string,
  last: string,
  leaving = true,
  onConnected = () => {},
) {
  const words: string[] = [];
  const options = { signal: AbortSignal.timeout(VAIN_MS), lastEventId: from, leaving, onConnected };
  for await (const event of client.followRuns({ service: 'shop' }, options)) {
    words.push(wordsOf(event));
    if (words.at(-1) === last) break;
  }
  return words;
}

describe('a tail and runs that are deleted', () => {
  it('tells what is deleted to whoever asks for what leaves', async () => {
    const stage = await startWithRuns(2);
    const word = `deleted ${traceIdOf(1)}`;
    let erased: Promise<unknown> | undefined;
    const erase = () => {
      erased ??= stage.erase(1);
    };
    expect(await toldUntil(stage, stage.followFrom, word, true, erase)).toEqual([word]);
    await erased;
  });

  it('tells it later, too, where a reader was away, and nothing of a run that has come again since', async () => {
    const stage = await startWithRuns(2);
    await stage.erase(1);
    const word = `deleted ${traceIdOf(1)}`;
    expect(await toldUntil(stage, stage.followFrom, word)).toEqual([word]);
    await send(stage.httpUrl, [crossingSpan({ trace: 1, span: 1 })]);
    const again = `run ${traceIdOf(1)}`;
    expect(await toldUntil(stage, stage.followFrom, again)).toEqual([word, again]);
    const { followFrom = '' } = await stage.client.listRuns();
    await send(stage.httpUrl, [crossingSpan({ trace: 3, span: 3 })]);
    expect(await toldUntil(stage, followFrom, `run ${traceIdOf(3)}`)).toEqual([`run ${traceIdOf(3)}`]);
  });

  it('says that it is not known, where the collector was started anew, and that once', async () => {
    const stage = await startWithRuns(2);
    await stage.erase(1);
    await stage.stop();
    const { httpUrl } = await testbed.start({ dataDirectory: stage.dataDirectory });
    const client = createCollectorClient({ url: httpUrl });
    const options = { signal: AbortSignal.timeout(VAIN_MS), lastEventId: stage.followFrom, leaving: true };
    let place = '';
    for await (const event of client.followRuns({}, options)) {
      expect(event.event).toBe('forgotten');
      place = event.id ?? '';
      break;
    }
    await send(httpUrl, [crossingSpan({ trace: 3, span: 3 })]);
    const word = `run ${traceIdOf(3)}`;
    expect(await toldUntil({ client }, place, word)).toEqual([word]);
    const { followFrom = '' } = await client.listRuns();
    await send(httpUrl, [crossingSpan({ trace: 4, span: 4 })]);
    expect(await toldUntil({ client }, followFrom, `run ${traceIdOf(4)}`)).toEqual([`run ${traceIdOf(4)}`]);
  });

  it('tells nothing of it to others', async () => {
    const stage = await startWithRuns(1);
    await stage.erase(1);
    await send(stage.httpUrl, [crossingSpan({ trace: 2, span: 2 })]);
    const word = `run ${traceIdOf(2)}`;
    expect(await toldUntil(stage, stage.followFrom, word, false)).toEqual([word]);
  });
});
