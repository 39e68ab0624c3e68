import { AlwaysOffSampler } from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it } from 'vitest';
import { agent, keep, tool } from './index.ts';
import { RecordingHost } from './testdata/recording-host.ts';

let host: RecordingHost | undefined;
afterEach(() => host?.stop());

describe('keep()', () => {
  it('marks the root of the run it is called in, once, whatever the sampler says', async () => {
    host = new RecordingHost({ sampler: new AlwaysOffSampler() });
    const ask = tool('ask', () => {
      keep('thumbs down');
      keep('again');
    });
    const run = agent('run', async (isKept: boolean) => (isKept ? ask() : undefined));
    await run(true);
    await run(false);
    const marks = (await host.recorded()).map(({ name, attributes }) => [name, attributes['reenact.keep']]);
    expect(marks).toEqual([
      ['execute_tool ask', undefined],
      ['invoke_agent run', 'thumbs down'],
      ['invoke_agent run', undefined],
    ]);
  });

  it('does nothing outside a run', () => {
    host = new RecordingHost();
    expect(() => keep('nobody')).not.toThrow();
  });
});

describe('a run that failed', () => {
  it('is recorded whole whatever the sampler says', async () => {
    host = new RecordingHost({ sampler: new AlwaysOffSampler() });
    const fail = tool('fail', () => {
      throw new RangeError('closed');
    });
    await expect(agent('run', async () => fail())()).rejects.toThrow('closed');
    const outcomes = (await host.recorded()).map(({ attributes }) => attributes['reenact.outcome']);
    expect(outcomes).toEqual(['threw', 'threw']);
  });
});
