import os, { freemem } from 'node:os';
import { recordedDrawsSchema } from '@reenact/trace-model/reading';
import { afterEach, expect, it } from 'vitest';
import { agent } from '../boundary/boundaries.ts';
import { recordedFacts } from '../testing/recorded-facts.ts';
import { installDrawRecording } from './install-draw-recording.ts';

const recorded = recordedFacts();
let uninstall = (): void => undefined;

afterEach(() => uninstall());

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
  const facts = recorded.find(({ boundary }) => boundary.name === 'reading');
  const drawn = recordedDrawsSchema.parse(JSON.parse(facts?.draws ?? '{}'));
  expect(drawn).toEqual(
    Object.fromEntries(Object.entries(seen).map(([name, value]) => [name, [JSON.stringify(value)]])),
  );
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
