import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agent, tool } from '@reenact/instrumentation';
import { type BenchResult, type BenchSize, medianOf } from './bench-result.ts';
import { type RecorderHost, startRecorderHost } from './recorder-host.ts';
import { startSink } from './sink.ts';

const GOAL_TIMES = 1.5;

const getQuote = tool('get_quote', async (symbol: string) => ({ symbol, price: 189.5 }), { effect: 'read' });
const cross = agent('run', async (calls: number) => {
  for (let index = 0; index < calls; index += 1) await getQuote('ACME');
});

async function callUs({ use }: RecorderHost, calls: number): Promise<number> {
  use();
  const before = process.cpuUsage();
  await cross(calls);
  // The timers of the exporter have their turn, too.
  await new Promise((next) => setImmediate(next));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

/** What a call costs the host while the collector does not answer, against one that does; and whether anything is lost meanwhile. */
export async function recorderOutage({ isSmoke }: BenchSize): Promise<BenchResult> {
  const [calls, rounds] = isSmoke ? [20, 2] : [200, 30];
  const [sink, gone] = await Promise.all([startSink(), startSink()]);
  await gone.stop();
  const directory = mkdtempSync(join(tmpdir(), 'reenact-bench-'));
  // Short, so that many exports fail while it is measured.
  const limits = { batchDelayMs: 50, retryDelayMs: 50, timeoutMs: 200 };
  const spooled = (name: string, url: string): RecorderHost =>
    startRecorderHost(url, { ...limits, spool: { directory: join(directory, name), destination: url } });
  const [up, down] = [spooled('up', sink.url), spooled('down', gone.url)];
  const [upUs, downUs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    upUs.push(await callUs(up, calls));
    downUs.push(await callUs(down, calls));
  }
  await up.flush();
  const lost = [...down.processor.dropped().values()].reduce((sum, count) => sum + count, 0);
  const kept = down.processor.undelivered().length;
  const expected = rounds * (calls + 1);
  if (lost + kept !== expected) throw new TypeError(`${kept} kept and ${lost} lost of ${expected}`);
  await Promise.all([up.stop(), down.stop()]);
  await sink.stop();
  rmSync(directory, { recursive: true, force: true });
  const settled = (values: readonly number[]): number => medianOf(values.slice(Math.floor(rounds / 3)));
  const times = settled(downUs) / settled(upUs);
  return {
    name: 'outage',
    what: `${rounds * calls} calls while the collector is down, in turn with as many while it is up, both with a spool`,
    figures: [
      {
        name: 'a call with the collector down',
        value: times,
        unit: 'times one with it up',
        goal: { words: `at most ${GOAL_TIMES}`, isMet: times <= GOAL_TIMES },
      },
      { name: 'calls lost', value: lost, unit: 'of all', goal: { words: 'none', isMet: lost === 0 } },
    ],
  };
}
