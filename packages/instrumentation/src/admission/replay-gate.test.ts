import { context, trace } from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import { CANONICAL_POLICIES, isReenactError } from '@reenact/trace-model';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { admit, agent, gate, installDedicatedPlayer, type Player, positionOf, tool, withPosition } from '../index.ts';
import { crossingOf } from '../testdata/recorded-crossing.ts';
import { RecordingHost } from '../testdata/recording-host.ts';
import { TapePlayer } from '../testing/tape-player.ts';

let host: RecordingHost;
let uninstall: () => void = () => {};
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(async () => {
  uninstall();
  await host.stop();
});

const calls: string[] = [];
const read = tool('read', (name: string) => {
  calls.push(name);
  return { name };
});
const run = agent('run', async (...names: string[]) => names.map((name) => read(name)));

async function tapeOf(record: () => Promise<unknown>): Promise<TapePlayer> {
  await record();
  const crossings = (await host.recorded()).map(crossingOf);
  host.recordings.reset();
  host.own.reset();
  calls.length = 0;
  return new TapePlayer(crossings);
}

describe('inside a replay', () => {
  it('code that was recorded does not run, and the player sees the live input, the call’s place and its line', async () => {
    const player = await tapeOf(() => run('a', 'b'));
    uninstall = installDedicatedPlayer(player);
    expect(await run('a', 'changed')).toEqual([{ name: 'a' }, { name: 'b' }]);
    expect(calls).toEqual([]);
    const [entered, first, second] = player.arrivals;
    expect([entered?.position, first?.position?.player]).toEqual([undefined, player]);
    expect(second?.input.payload.data).toBe('["changed"]');
    expect(first?.source?.file).toBe(import.meta.filename);
    expect(player.outcomes).toMatchObject([
      { type: 'returned', value: { payload: { data: '[{"name":"a"},{"name":"b"}]' } } },
    ]);
  });

  it('the spans say how they were answered and link to what was recorded', async () => {
    const player = await tapeOf(() => run('a'));
    uninstall = installDedicatedPlayer(player);
    await run('a');
    const spans = host.own.getFinishedSpans();
    expect(spans.map(({ attributes }) => attributes['reenact.mode'])).toEqual(['stub', 'rerun']);
    for (const span of spans) {
      expect(span.attributes['reenact.replay.id']).toBe('replay-1');
      // The run before it in this process has a link, too.
      const sources = span.links.filter(({ attributes }) => attributes === undefined);
      expect(sources.map((link) => link.context.spanId)).toEqual([span.attributes['reenact.source.span']]);
    }
    const views = await host.recorded();
    expect(views.map(({ attributes }) => attributes['reenact.outcome'])).toEqual(['returned', 'returned']);
  });

  it('a call that was never recorded is refused at the call, and told on a span', async () => {
    const player = await tapeOf(() => run('a'));
    uninstall = installDedicatedPlayer(player);
    const order = tool('order', () => calls.push('ordered'));
    expect(() => order()).toThrow('never recorded');
    const later = tool('later', async () => calls.push('ordered'));
    await expect(later()).rejects.toThrow('never recorded');
    const stream = tool('stream', async function* () {
      yield calls.push('ordered');
    });
    expect(() => stream()).toThrow('never recorded');
    expect(calls).toEqual([]);
    const modes = host.own.getFinishedSpans().map(({ attributes }) => attributes['reenact.mode']);
    expect(modes).toEqual(['refused', 'refused', 'refused']);
  });

  it('a live crossing runs, at its recorded place', async () => {
    const inner = tool('inner', () => 1);
    const outer = tool('outer', () => [inner(), positionOf(context.active())?.cursor]);
    const player = await tapeOf(async () => outer());
    player.live.add('outer');
    uninstall = installDedicatedPlayer(player);
    const [value, cursor] = outer();
    expect(value).toBe(1);
    expect(cursor).toMatch(/^[0-9a-f]{16}$/);
    expect(player.refusals).toEqual([]);
  });
});

describe('a replay fails closed', () => {
  const broken: Player = {
    replayId: 'r',
    dedicated: true,
    answer: () => {
      throw new TypeError('the player broke');
    },
    callShapeOf: () => 'sync',
  };

  it('where the player itself fails', () => {
    uninstall = installDedicatedPlayer(broken);
    calls.length = 0;
    let thrown: unknown;
    try {
      read('x');
    } catch (error) {
      thrown = error;
    }
    expect(isReenactError(thrown) && [thrown.code, (thrown.cause as Error).message]).toEqual([
      'replay-refused',
      'the player broke',
    ]);
    expect(calls).toEqual([]);
  });

  it('where the context cannot be read', () => {
    uninstall = installDedicatedPlayer(broken);
    context.disable();
    const fail = (): never => {
      throw new Error('no context');
    };
    const manager = { active: fail, with: fail, bind: fail, enable: fail, disable: () => manager };
    context.setGlobalContextManager(manager);
    expect(() => read('x')).toThrow('Reenact failed');
  });

  it('where recording is turned off, and where tracing is suppressed', async () => {
    const player = await tapeOf(() => run('a'));
    uninstall = installDedicatedPlayer(player);
    gate.disable();
    expect(await run('a')).toEqual([{ name: 'a' }]);
    expect(() => context.with(suppressTracing(context.active()), () => read('a'))).toThrow('never recorded');
    expect(calls).toEqual([]);
  });

  it('but lets an exporter’s own requests through', () => {
    uninstall = installDedicatedPlayer(broken);
    const boundary = {
      kind: 'http',
      name: 'POST collector',
      effect: 'write',
      capture: 'full',
      policy: CANONICAL_POLICIES.arguments,
    } as const;
    const admission = context.with(suppressTracing(context.active()), () =>
      admit({ boundary, input: [], span: { name: 'POST', kind: 'client' } }),
    );
    expect(admission.type).toBe('pass');
  });
});

describe('a replay and normal traffic in one process', () => {
  it('never touch: only what runs at a position is answered', async () => {
    const player = await tapeOf(() => run('a'));
    const replayed = context.with(withPosition(context.active(), { player, cursor: undefined }), () => run('a'));
    const live = run('live');
    expect(await Promise.all([replayed, live])).toEqual([[{ name: 'a' }], [{ name: 'live' }]]);
    expect(calls).toEqual(['live']);
    expect(player.arrivals).toHaveLength(2);
    const modes = host.own.getFinishedSpans().map(({ attributes }) => attributes['reenact.mode']);
    expect(modes.toSorted()).toEqual(['rerun', 'stub', undefined, undefined]);
  });

  it('places a call without a context under the process span, its position included', async () => {
    const player = await tapeOf(async () => read('a'));
    const root = withPosition(trace.setSpan(context.active(), host.provider.getTracer('app').startSpan('process')), {
      player,
      cursor: undefined,
    });
    gate.configure({ rootContext: () => root });
    uninstall = installDedicatedPlayer(player);
    expect(read('a')).toEqual({ name: 'a' });
    expect(player.arrivals[0]?.position?.player).toBe(player);
  });
});
