import { setTimeout as pause } from 'node:timers/promises';
import { context } from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import { recordedDrawsSchema } from '@reenact/trace-model/reading';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, tool } from '../boundary/boundaries.ts';
import { installDrawRecording } from '../draws/install-draw-recording.ts';
import type { CrossingFacts } from '../gate/crossing-facts.ts';
import { LATE_CROSSINGS_MAX, LATE_DRAWS_MAX } from '../limits.ts';
import { recordedFacts } from '../testing/recorded-facts.ts';

const recorded = recordedFacts();
let uninstall = (): void => undefined;

beforeEach(() => {
  uninstall = installDrawRecording({ environment: {} });
});

afterEach(() => uninstall());

function factsOf(name: string, turn = 0): CrossingFacts {
  const facts = recorded.filter(({ boundary }) => boundary.name === name)[turn];
  if (facts === undefined) throw new Error(`${name} was not recorded.`);
  return facts;
}

function drawsOf(name: string, turn = 0) {
  const { draws } = factsOf(name, turn);
  return draws === undefined ? undefined : recordedDrawsSchema.parse(JSON.parse(draws));
}

const spanIdOf = (name: string): string => factsOf(name).spanContext.spanId;
const send = tool('send', async () => 'sent');

/** Runs an agent, and what it left behind once it has ended. */
async function leaving(name: string, late: () => Promise<void> | void): Promise<void> {
  let leave = (): void => undefined;
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  let over: Promise<void> | undefined;
  await agent(name, async () => {
    Math.random();
    over = left.then(late);
  })();
  await pause(0);
  leave();
  await over;
}

describe('what the code of a crossing draws once that has ended', () => {
  it('is carried by the next calls of the run, each time what came since the one before', async () => {
    const seen: number[] = [];
    await leaving('asked', async () => {
      seen.push(Math.random(), Math.random());
      await send();
      await send();
      seen.push(Math.random());
      await send();
      seen.push(Math.random());
    });
    const spanId = spanIdOf('asked');
    expect(drawsOf('asked')?.['Math.random']).toHaveLength(1);
    expect(drawsOf('send', 0)).toEqual({ late: { [spanId]: [{ ordinal: 0, 'Math.random': seen.slice(0, 2) }] } });
    expect(drawsOf('send', 1)).toBeUndefined();
    expect(drawsOf('send', 2)).toEqual({ late: { [spanId]: [{ ordinal: 1, 'Math.random': seen.slice(2, 3) }] } });
  });

  it('begins with a whole time in each, and keeps ticks', async () => {
    const seen: number[] = [];
    await leaving('asked', async () => {
      seen.push(Date.now());
      await send();
      await pause(5);
      seen.push(Date.now());
      performance.now();
      await send();
    });
    const late = [0, 1].map((turn) => drawsOf('send', turn)?.late?.[spanIdOf('asked')]?.[0]);
    expect(late.map((drawn) => drawn?.['Date.now']?.[0])).toEqual(seen);
    expect(late[1]).toMatchObject({
      'performance.now': [expect.any(Number)],
      ticks: { timeOriginMs: expect.any(Number) },
    });
  });

  it('is that of an agent inside, too, which a call of the run carries', async () => {
    await agent('outer', async () => {
      await leaving('inner', () => void Math.random());
      await send();
    })();
    expect(Object.keys(drawsOf('send')?.late ?? {})).toEqual([spanIdOf('inner')]);
  });

  it('is carried by the run as it ends where no call follows, since its outcome may be made of that', async () => {
    const seen: number[] = [];
    const draw = (): void => void seen.push(Math.random());
    await agent('outer', async () => {
      await leaving('inner', async () => {
        draw();
        await send();
        draw();
      });
    })();
    const spanId = spanIdOf('inner');
    expect(drawsOf('send')).toEqual({ late: { [spanId]: [{ ordinal: 0, 'Math.random': seen.slice(0, 1) }] } });
    expect(drawsOf('outer')?.late).toEqual({ [spanId]: [{ ordinal: 1, 'Math.random': seen.slice(1) }] });
  });

  it('marks no run of which some was not kept and no call follows', async () => {
    await agent('outer', async () => {
      await leaving('inner', () => {
        for (let index = 0; index <= LATE_DRAWS_MAX; index += 1) Math.random();
      });
    })();
    expect(factsOf('outer').lossy).toEqual([]);
    expect(drawsOf('outer')?.late?.[spanIdOf('inner')]?.[0]?.['Math.random']).toHaveLength(LATE_DRAWS_MAX);
  });
});

describe('who carries and draws it', () => {
  it('is never a call of another run, or one that is not kept in full', async () => {
    let drawn = 0;
    const secret = tool('secret', async () => 'kept by its digest', { capture: 'digest' });
    await leaving('first', async () => {
      drawn = Math.random();
      await agent('second', async () => void (await send()))().catch(() => undefined);
      await secret();
      await send();
    });
    await agent('third', async () => void (await send()))();
    const carriers = recorded.filter(({ draws }) => draws?.includes('late'));
    expect(carriers).toHaveLength(1);
    expect(carriers[0]?.draws).toContain(`${drawn}`);
    expect(carriers[0]?.spanContext.traceId).toBe(factsOf('first').spanContext.traceId);
  });

  it('is no tool, whose code does not run again, and no exporter', async () => {
    let over: Promise<void> | undefined;
    const asked = tool('asked-tool', async () => {
      over = pause(1).then(async () => {
        Math.random();
      });
    });
    await leaving('asked', async () => {
      context.with(suppressTracing(context.active()), () => Math.random());
    });
    await agent('outer', async () => {
      await asked();
      await over;
      await send();
    })();
    expect(recorded.some(({ draws }) => draws?.includes('late'))).toBe(false);
  });
});

describe('what is kept of it', () => {
  it('is bounded for each crossing, and the call says what is not', async () => {
    await leaving('asked', async () => {
      for (let index = 0; index <= LATE_DRAWS_MAX; index += 1) Math.random();
      await send();
      Math.random();
      await send();
    });
    const late = drawsOf('send')?.late?.[spanIdOf('asked')]?.[0];
    expect(late?.['Math.random']).toHaveLength(LATE_DRAWS_MAX);
    expect(factsOf('send').lossy).toEqual([expect.stringMatching(/^\/late-draws\/Math\.random more than 1000 draws/)]);
    // What is behind a gap would be taken for what is missing.
    expect([drawsOf('send', 1), factsOf('send', 1).lossy]).toEqual([undefined, []]);
  });

  it('is bounded for all together: of the oldest nothing is kept, and its next call says so', async () => {
    let goOn = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let over: Promise<unknown> | undefined;
    await leaving('oldest', () => {
      Math.random();
      over = gate.then(() => send());
    });
    await Promise.all(Array.from({ length: LATE_CROSSINGS_MAX }, () => leaving('later', () => void Math.random())));
    goOn();
    await over;
    expect(drawsOf('send')).toBeUndefined();
    expect(factsOf('send').lossy).toEqual([expect.stringMatching(/^\/late-draws\/all draws of more than 500/)]);
  });
});
