import { type Attributes, SpanStatusCode } from '@opentelemetry/api';
import { ATTR_ERROR_TYPE, ATTR_PROCESS_EXIT_CODE } from '@reenact/semconv/core';
import { ATTR_REENACT_OUTCOME, ATTR_REENACT_UNCAUGHT } from '@reenact/semconv/reenact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { agent, gate, tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';

const never = new Promise<never>(() => undefined);
const step = tool('step', async (name: string) => name);
const emit = process.emit;
const listenersBefore = process.listenerCount('uncaughtExceptionMonitor');
const heardOfRejections = process.listeners('unhandledRejection');

let host: RecordingHost;

beforeEach(() => {
  host = new RecordingHost();
  // Those of the test runner would fail the test by what is emitted here.
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', () => undefined);
});

afterEach(async () => {
  await host.stop();
  process.removeAllListeners('unhandledRejection');
  for (const listener of heardOfRejections) process.on('unhandledRejection', listener);
});

/** As the platform does before it ends the process, where the code runs that threw. */
function thrown(error: unknown): void {
  Reflect.apply(process.emit, process, ['uncaughtExceptionMonitor', error, 'uncaughtException']);
}

/** As the platform does where the promise was made. */
function rejected(reason: unknown): void {
  process.emit('unhandledRejection', reason, Promise.resolve());
}

/** What is recorded of a run by its name, once the process has ended or as it stands open. */
async function recordedOf(name: string) {
  const spans = [...(await host.recorded()), ...host.processor.pending()];
  const span = spans.find((one) => one.name === `invoke_agent ${name}`);
  const attributes: Attributes = span?.attributes ?? {};
  const [outcome, type, uncaught, exitCode] = [
    ATTR_REENACT_OUTCOME,
    ATTR_ERROR_TYPE,
    ATTR_REENACT_UNCAUGHT,
    ATTR_PROCESS_EXIT_CODE,
  ].map((key) => attributes[key]);
  return { outcome, type, uncaught, exitCode, status: span?.status };
}

const pending = { outcome: 'pending', type: undefined, uncaught: undefined };

describe('an error of a run that nothing caught', () => {
  it('is how the run ended where the process did', async () => {
    void agent('run', async () => {
      await step('before');
      thrown(new TypeError('no such row'));
      await never;
    })();
    await step('beside');
    gate.processEnds(1);
    expect(await recordedOf('run')).toEqual({
      outcome: 'threw',
      type: 'TypeError',
      uncaught: 'exception',
      exitCode: 1,
      status: { code: SpanStatusCode.ERROR, message: 'no such row' },
    });
  });

  it('is of the run whose code it is, inside of its calls, too; another one had not ended', async () => {
    const fail = tool('fail', async () => {
      thrown('a text');
      await never;
    });
    void agent('failing', () => fail())();
    void agent('other', () => never)();
    gate.processEnds(7);
    expect(await recordedOf('failing')).toMatchObject({ outcome: 'threw', uncaught: 'exception' });
    expect(await recordedOf('other')).toMatchObject({ ...pending, exitCode: 7 });
  });

  it('may be a rejection, which a listener handles that ends the process', async () => {
    void agent('run', async () => {
      rejected(new RangeError('too far'));
      await never;
    })();
    gate.processEnds(1);
    expect(await recordedOf('run')).toMatchObject({ outcome: 'threw', type: 'RangeError', uncaught: 'rejection' });
  });

  it('is known where recording is shut down before the process ends, as handlers do that wait for that', async () => {
    void agent('run', async () => {
      rejected(new RangeError('too far'));
      await never;
    })();
    const sent = vi.spyOn(host.recordings, 'export');
    await host.processor.shutdown();
    const spans = sent.mock.calls.flatMap(([batch]) => batch);
    const run = spans.find(({ name }) => name === 'invoke_agent run');
    expect(run?.attributes).toMatchObject({ [ATTR_REENACT_OUTCOME]: 'threw', [ATTR_REENACT_UNCAUGHT]: 'rejection' });
  });
});

describe('an error of what a run has left behind', () => {
  it.each([
    ['full', 'RangeError: not saved'],
    ['digest', undefined],
  ] as const)(
    'is told of the run, which returned all the same, as far as it keeps content: %s',
    async (capture, message) => {
      const run = agent(
        'run',
        async () => {
          queueMicrotask(() => setImmediate(() => rejected(new RangeError('not saved'))));
          return 'done';
        },
        { capture },
      );
      await run();
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      gate.processEnds(1);
      const told = { outcome: 'returned', type: 'RangeError', uncaught: 'rejection', exitCode: undefined };
      const status = { code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) };
      expect(await recordedOf('run')).toEqual({ ...told, status });
    },
  );

  it('leaves as it was told how a run had failed before', async () => {
    const run = agent('run', async () => {
      setImmediate(() => rejected(new RangeError('not saved')));
      throw new TypeError('no such row');
    });
    await run().catch(() => undefined);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    gate.processEnds(1);
    const status = { code: SpanStatusCode.ERROR, message: 'no such row' };
    const told = { outcome: 'threw', type: 'TypeError', uncaught: 'rejection', status };
    expect(await recordedOf('run')).toMatchObject(told);
  });

  it('is not where its process ended by itself', async () => {
    const run = agent('run', async () => {
      setImmediate(() => rejected(new RangeError('logged')));
    });
    await run();
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    gate.processEnds(0);
    expect(await recordedOf('run')).toMatchObject({ outcome: 'returned', type: undefined, uncaught: undefined });
  });
});

describe('an error that a listener handled', () => {
  it.each([
    ['goes on to call', 1, () => step('later')],
    ['ends by itself, later', 0, async () => undefined],
  ])('is not how a run ended whose process %s', async (_what, exitCode, goOn) => {
    void agent('run', async () => {
      rejected(new RangeError('logged'));
      await goOn();
      await never;
    })();
    await step('beside');
    gate.processEnds(exitCode);
    expect(await recordedOf('run')).toMatchObject({ ...pending, exitCode });
  });

  it('changes nothing of a run that returns', async () => {
    const run = agent('run', async () => {
      rejected(new RangeError('logged'));
      return 'done';
    });
    expect(await run()).toBe('done');
    gate.processEnds(1);
    expect(await recordedOf('run')).toMatchObject({ outcome: 'returned', type: undefined, exitCode: undefined });
  });
});

describe('watching for errors that nothing caught', () => {
  it('leaves who listens and what is emitted as they were, once the recorder is shut down', async () => {
    expect(process.listenerCount('uncaughtExceptionMonitor')).toBe(listenersBefore + 1);
    await host.processor.shutdown();
    expect(process.listenerCount('uncaughtExceptionMonitor')).toBe(listenersBefore);
    expect(process.emit).toBe(emit);
  });

  it('takes no listener for itself: an error that nobody handles ends the process as before', () => {
    process.removeAllListeners('unhandledRejection');
    expect(process.emit('unhandledRejection', new Error('one'), Promise.resolve())).toBe(false);
    expect(process.listenerCount('unhandledRejection')).toBe(0);
  });
});
