import os, { freemem } from 'node:os';
import v8 from 'node:v8';
import type { RecordedDraws } from '@reenact/trace-model';
import { recordedDrawsSchema } from '@reenact/trace-model/reading';
import { afterEach, expect, it } from 'vitest';
import { agent } from '../boundary/boundaries.ts';
import { DRAWN_CHARACTERS_MAX } from '../limits.ts';
import { recordedFacts } from '../testing/recorded-facts.ts';
import { installDrawRecording } from './install-draw-recording.ts';

const recorded = recordedFacts();
let uninstall = (): void => undefined;

afterEach(() => uninstall());

function drawsOf(name: string): RecordedDraws {
  const facts = recorded.findLast(({ boundary }) => boundary.name === name);
  return recordedDrawsSchema.parse(JSON.parse(facts?.draws ?? '{}'));
}

it('keeps what the machine and the process say of themselves', async () => {
  uninstall = installDrawRecording({ environment: {} });
  const read = async () => ({
    'os.hostname': os.hostname(),
    'os.freemem': freemem(),
    'os.cpus': os.cpus(),
    'process.memoryUsage': process.memoryUsage(),
    'process.memoryUsage.rss': process.memoryUsage.rss(),
    'performance.eventLoopUtilization': performance.eventLoopUtilization(),
  });
  const seen = await agent('reading', read)();
  expect(drawsOf('reading')).toEqual(
    Object.fromEntries(Object.entries(seen).map(([name, value]) => [name, [JSON.stringify(value)]])),
  );
});

it('keeps what there is room for, and says so, where a run is told more', async () => {
  uninstall = installDrawRecording({ environment: {} });
  const size = JSON.stringify(v8.getHeapStatistics()).length;
  await agent('sampling', async () => {
    for (let index = 0; index < (DRAWN_CHARACTERS_MAX / size) * 2; index += 1) v8.getHeapStatistics();
  })();
  const { 'v8.getHeapStatistics': kept = [] } = drawsOf('sampling');
  expect(kept.join('').length).toBeLessThanOrEqual(DRAWN_CHARACTERS_MAX);
  expect(kept.length).toBeGreaterThan(DRAWN_CHARACTERS_MAX / size / 2);
  const facts = recorded.find(({ boundary }) => boundary.name === 'sampling');
  expect(facts?.lossy?.join()).toContain('/draws/v8.getHeapStatistics more than');
});

it('leaves the functions as they are to whoever looks at them, and puts them back', () => {
  const shape = () => [
    os.hostname.name,
    os.cpus.length,
    typeof process.memoryUsage.rss,
    Object.keys(process.memoryUsage),
  ];
  const [before, { hostname }] = [shape(), os];
  uninstall = installDrawRecording({ environment: {} });
  expect(shape()).toEqual(before);
  uninstall();
  expect(os.hostname).toBe(hostname);
});
