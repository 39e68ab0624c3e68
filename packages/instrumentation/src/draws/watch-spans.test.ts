import { trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { recordedDrawsSchema } from '@reenact/trace-model/reading';
import { afterEach, describe, expect, it } from 'vitest';
import { agent } from '../boundary/boundaries.ts';
import { isOwnWork } from '../host/own-work.ts';
import { recordedFacts } from '../testing/recorded-facts.ts';
import { installDrawRecording } from './install-draw-recording.ts';

const recorded = recordedFacts();
const exporter = new InMemorySpanExporter();
let uninstall = (): void => undefined;

afterEach(() => {
  uninstall();
  trace.disable();
  exporter.reset();
});

function registerProvider(): BasicTracerProvider {
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  return provider;
}

function install(environment: NodeJS.ProcessEnv = {}): void {
  uninstall = installDrawRecording({ environment });
}

/** What an agent answers with that makes so many spans of the app's own, and what was recorded of its draws. */
async function drawnBeside(spans: number) {
  const drawn = await agent('spanning', async () => {
    for (let made = 0; made < spans; made += 1) {
      const span = trace.getTracer('app').startSpan('own');
      span.addEvent('met');
      span.recordException(new Error('met'));
      span.end();
    }
    return Math.random();
  })();
  const draws = recorded.findLast(({ boundary }) => boundary.name === 'spanning')?.draws ?? '';
  return { drawn, draws: recordedDrawsSchema.parse(JSON.parse(draws)) };
}

describe("spans of an app's own provider", () => {
  it.each([
    ['registered before', [registerProvider, install]],
    ['registered after', [install, registerProvider]],
  ])('draw their ids and read their times beside the run: %s', async (_name, steps) => {
    for (const step of steps) step();
    const { drawn, draws } = await drawnBeside(3);
    expect(draws).toEqual({ 'Math.random': [drawn], besideSpans: true });
    const own = exporter.getFinishedSpans().filter(({ name }) => name === 'own');
    expect(own.map(({ events }) => events.length)).toEqual([2, 2, 2]);
  });

  it('do so where somebody has put a method of his own around that of each tracer, as Next.js does', async () => {
    install();
    const provider = registerProvider();
    const tracer = provider.getTracer('app');
    const { startSpan } = tracer;
    tracer.startSpan = (...parameters) => startSpan.apply(tracer, parameters);
    const { drawn, draws } = await drawnBeside(1);
    expect(draws['Math.random']).toEqual([drawn]);
  });

  it('are as before where nothing is recorded of draws, and once that is over', () => {
    const provider = registerProvider();
    const methods = () => {
      const tracer = provider.getTracer('app');
      const span = tracer.startSpan('own');
      return [tracer.startSpan, span.end, span.addEvent, span.recordException, trace.setGlobalTracerProvider];
    };
    const before = methods();
    install({ REENACT_RECORD_DRAWS: '0' });
    expect(methods()).toEqual(before);
    uninstall();
    install();
    expect(methods().map((method, index) => method === before[index])).toEqual(before.map(() => false));
    uninstall();
    expect(methods().map((method, index) => method === before[index])).toEqual(before.map(() => true));
  });

  it('leave to the run what a processor of the user does besides, as opening a connection', async () => {
    install();
    const seen: boolean[] = [];
    const ignored = async (): Promise<void> => undefined;
    const noting = (): void => void seen.push(isOwnWork());
    const processor = { onStart: noting, onEnd: noting, forceFlush: ignored, shutdown: ignored };
    const provider = new BasicTracerProvider({ spanProcessors: [processor] });
    trace.setGlobalTracerProvider(provider);
    provider.getTracer('app').startSpan('own').end();
    expect(seen).toEqual([false, false]);
  });

  it('throw what they threw', () => {
    install();
    const provider = registerProvider();
    const failing = { startSpan: provider.getTracer('app').startSpan };
    expect(() => Reflect.apply(failing.startSpan, undefined, ['own'])).toThrow(TypeError);
  });
});

describe('a run without a provider of the app', () => {
  it('says nothing of spans', async () => {
    install();
    const { drawn, draws } = await drawnBeside(1);
    expect(draws).toEqual({ 'Math.random': [drawn] });
  });
});
