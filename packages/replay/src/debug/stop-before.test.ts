import { pathToFileURL } from 'node:url';
import { getCallSites } from 'node:util';
import { runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { MemorySink } from '../events/event-sink.ts';
import { beginStop, endStop, runningMs } from '../time/schedule/stopped-time.ts';
import { callPlace } from './call-place.ts';
import type { CallPlace } from './debug-order.ts';
import type { Breakpoint } from './debugger-session.ts';
import { scoutPlaces } from './scout.ts';
import { stopBefore } from './stop-before.ts';

const [first, second, third] = ['00000000000000a1', '00000000000000a2', '00000000000000a3'] as const;
const elsewhere = '00000000000000b1';

/** Each item is one call of a crossing, all from one line; what V8 would do there is asked before each. */
function callAll(
  listener: (spanId: string | undefined) => void,
  spanIds: readonly (string | undefined)[],
  before = () => {},
): void {
  for (const spanId of spanIds) {
    before();
    listener(spanId);
  }
}

function scouted(spanIds: readonly (string | undefined)[], wanted: readonly string[]): CallPlace[] {
  const sink = new MemorySink();
  callAll(scoutPlaces([...wanted, elsewhere], sink), spanIds);
  return sink.events.flatMap(({ event }) => {
    if (event.type !== 'called-from') return [];
    const { type: _type, ...place } = event;
    return [place];
  });
}

/** Evaluates a breakpoint's condition as the engine does, in the global scope. */
function holds({ condition = '' }: Breakpoint): boolean {
  return runInThisContext(condition) === true;
}

describe('looking for the lines that call crossings', () => {
  it('gives the place of this file and counts the calls from it, other crossings included', () => {
    const places = scouted([first, undefined, second, third], [second, third]);
    expect(places.map(({ spanId, ordinal }) => [spanId, ordinal])).toEqual([
      [second, 3],
      [third, 4],
    ]);
    expect(new Set(places.map(({ url }) => url))).toEqual(new Set([pathToFileURL(import.meta.filename).href]));
    expect(new Set(places.map(({ line, column }) => `${line}:${column}`)).size).toBe(1);
  });

  it('counts in the code that runs', () => {
    const [place, [site]] = [callPlace(), getCallSites(1, { sourceMap: false })];
    expect(place?.url).toBe(pathToFileURL(import.meta.filename).href);
    // The engine's own count begins at 0.
    expect(place?.line).toBe((site?.lineNumber ?? 0) - 1);
  });
});

describe('stopping before crossings', () => {
  it('sets one breakpoint for a line, which holds only for the calls that are wanted', () => {
    const breakpoints: Breakpoint[] = [];
    const places = scouted([first, second, third], [first, third]);
    const listener = stopBefore([first, third], places, (breakpoint) => breakpoints.push(breakpoint));
    expect(breakpoints).toHaveLength(1);
    const [breakpoint] = breakpoints;
    if (breakpoint === undefined) throw new TypeError('there is no breakpoint');
    expect(breakpoint).toMatchObject({ url: places[0]?.url, line: places[0]?.line, column: places[0]?.column });
    const stops: boolean[] = [];
    callAll(listener, [first, second, third, undefined], () => stops.push(holds(breakpoint)));
    expect(stops).toEqual([true, false, true, false]);
  });

  it('holds again when the line is reached without a call, and until the call is made', () => {
    const breakpoints: Breakpoint[] = [];
    const listener = stopBefore([second], scouted([first, second], [second]), (breakpoint) =>
      breakpoints.push(breakpoint),
    );
    const asked = (): boolean => breakpoints.every(holds);
    expect(asked()).toBe(false);
    const answers: boolean[] = [];
    callAll(listener, [first, second], () => answers.push(asked(), asked()));
    expect(answers).toEqual([false, false, true, true]);
    expect(asked()).toBe(false);
  });
});

describe('time in a debugger', () => {
  it('stands still, and goes on from there', () => {
    const before = { running: runningMs(), real: performance.now() };
    beginStop();
    const stoppedAt = performance.now();
    const stopped = runningMs();
    while (performance.now() < stoppedAt + 20);
    expect(runningMs()).toBe(stopped);
    const stoppedMs = performance.now() - stoppedAt;
    endStop();
    const after = { running: runningMs(), real: performance.now() };
    expect(after.running - before.running).toBeLessThanOrEqual(after.real - before.real - stoppedMs);
    expect(after.running).toBeGreaterThanOrEqual(stopped);
    endStop();
    while (performance.now() < after.real + 5);
    expect(runningMs()).toBeGreaterThan(after.running);
  });
});
