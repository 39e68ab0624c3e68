import { buildRecording } from '@reenact/recordings/testing';
import { describe, expect, it } from 'vitest';
import { MemorySink } from '../events/event-sink.ts';
import type { ReplayEvent } from '../events/replay-event.ts';
import { AFTER_RUN_MS_MAX, IDLE_LOOK_MS, IDLE_MS, IDLE_MS_MAX } from '../limits.ts';
import { exitOf } from './exit-of.ts';
import { IdleWatch } from './idle-watch.ts';

interface Waiting {
  readonly label?: 'agent:process' | 'agent:job';
  readonly hasBegun?: boolean;
  readonly hasLeft?: boolean;
  readonly listensFor?: NodeJS.Signals;
  readonly longestGapMs?: number;
  readonly isAsked?: boolean;
}

const refused: ReplayEvent = {
  type: 'divergence',
  kind: 'forbidden',
  message: 'net.connect was refused.',
  path: 'agent:process',
  next: 'Wrap it.',
  takesEffect: 'at-once',
  insideAtOnce: true,
  recordedAtUs: 0,
};

function met(crossing: number, recordedSpanId: string): ReplayEvent {
  return { type: 'met', crossing, path: 'agent:a/tool:b', answer: 'stub', recordedSpanId, compared: true };
}

class WaitingProgram {
  readonly ended: string[] = [];
  isIdle = true;
  readonly end: { isUnderWay: boolean; isStopping: boolean };
  readonly watch: IdleWatch;
  readonly sink = new MemorySink();
  private nowMs = 0;

  constructor({
    label = 'agent:process',
    hasBegun = true,
    hasLeft = true,
    listensFor,
    longestGapMs = 0,
    isAsked = false,
  }: Waiting) {
    const [root] = buildRecording({ label }).roots;
    if (root === undefined) throw new Error('no root');
    const end = { isUnderWay: false, isStopping: false, isPassed: false, hasBegun, hasLeft };
    this.end = end;
    this.watch = new IdleWatch({
      root,
      end,
      sink: this.sink,
      upgrades: new Set(['socket']),
      longestGapMs,
      isAsked,
      nowMs: () => this.nowMs,
      program: {
        isIdle: () => this.isIdle,
        listenerCount: (signal) => (signal === listensFor ? 1 : 0),
        signal: (signal) => this.ended.push(signal),
        stop: () => this.ended.push('stopped'),
      },
    });
  }

  /** Lets time pass, and gives what was done to the program by then. */
  after(ms: number): string[] {
    for (let passedMs = 0; passedMs < ms; passedMs += IDLE_LOOK_MS) {
      this.nowMs += IDLE_LOOK_MS;
      this.watch.look();
    }
    return this.ended;
  }

  get notes(): string {
    return this.sink.events.map(({ event }) => (event.type === 'note' ? event.text : '')).join('\n');
  }
}

describe('a program that waits', () => {
  it('is stopped when nothing more came for a while, and a note says so', () => {
    const program = new WaitingProgram({});
    expect(program.after(IDLE_MS - IDLE_LOOK_MS)).toEqual([]);
    expect(program.after(IDLE_LOOK_MS)).toEqual(['stopped']);
    expect(program.end.isStopping).toBe(true);
    expect(program.notes).toContain('before all that was recorded of agent:process had been called');
  });

  it('is left alone while it gets on, computes, or waits for something recorded or live', () => {
    const program = new WaitingProgram({});
    program.after(IDLE_MS - IDLE_LOOK_MS);
    program.watch.told({ event: met(1, 'one') });
    expect(program.after(IDLE_MS - IDLE_LOOK_MS)).toEqual([]);
    program.isIdle = false;
    expect(program.after(2 * IDLE_MS)).toEqual([]);
    program.isIdle = true;
    program.end.isUnderWay = true;
    expect(program.after(2 * IDLE_MS)).toEqual([]);
  });

  it('does not get on by asking the same again and again', () => {
    const program = new WaitingProgram({});
    for (let second = 0; second * IDLE_LOOK_MS < IDLE_MS; second += 1) {
      program.watch.told({ event: met(second, 'poll') });
      program.after(IDLE_LOOK_MS);
    }
    expect(program.ended).toEqual(['stopped']);
  });

  it('is waited for as long as it was recorded to go on without a call, unless it waits for others', () => {
    const longestGapMs = 10 * IDLE_MS_MAX;
    const alone = new WaitingProgram({ longestGapMs });
    expect(alone.after(longestGapMs)).toEqual([]);
    expect(alone.after(longestGapMs)).toEqual(['stopped']);
    const serving = new WaitingProgram({ longestGapMs });
    serving.watch.listens();
    expect(serving.after(IDLE_MS_MAX)).toEqual(['stopped']);
  });

  it('is sent the signal that it listens for, and stopped where it does not end by it', () => {
    const program = new WaitingProgram({ hasLeft: false, listensFor: 'SIGINT' });
    expect(program.after(AFTER_RUN_MS_MAX)).toEqual(['SIGINT']);
    expect(program.end.isStopping).toBe(false);
    expect(program.after(AFTER_RUN_MS_MAX)).toEqual(['SIGINT', 'stopped']);
    expect(program.notes).toContain('It was sent SIGINT there');
    expect(program.notes).toContain('did not end within 10 seconds after the signal');
    // It swallowed the signal, so that its exit code is of the stop.
    expect(exitOf('exit code 0', program.sink.events)).toBe('exit code 0, because the replay stopped it');
    expect(exitOf('exit code 0', program.sink.events.slice(0, 1))).toBe('exit code 0');
  });

  it('is left to others once the run has ended', () => {
    const program = new WaitingProgram({ label: 'agent:job' });
    const outcome = { type: 'outcome', path: 'agent:job', replayed: '1', equal: true } as const;
    program.watch.told({ event: outcome, run: 'another' });
    program.watch.told({ event: outcome });
    expect(program.after(10 * IDLE_MS)).toEqual([]);
  });
});

describe('a program that never gets to its run', () => {
  it('is waited for until it is known to wait for others', () => {
    const program = new WaitingProgram({ label: 'agent:job', hasBegun: false });
    expect(program.after(10 * IDLE_MS)).toEqual([]);
    program.watch.told({ event: refused });
    expect(program.after(IDLE_LOOK_MS)).toEqual(['stopped']);
    expect(program.notes).toContain('never got to agent:job');
  });

  it('is known to wait for others where what comes over a WebSocket is not recorded', () => {
    const program = new WaitingProgram({ label: 'agent:job', hasBegun: false, listensFor: 'SIGTERM' });
    program.watch.told({ event: met(1, 'socket') });
    for (let waitedMs = 0; waitedMs < IDLE_MS - IDLE_LOOK_MS; waitedMs += IDLE_LOOK_MS) {
      program.watch.told({ event: met(2, 'socket') });
      expect(program.after(IDLE_LOOK_MS)).toEqual([]);
    }
    expect(program.after(IDLE_LOOK_MS)).toEqual(['SIGTERM']);
  });
});

describe('a service that was asked for a run', () => {
  it('is stopped where it does not answer, because another request would have had to come, and a note names the flag that sends it', () => {
    const service = new WaitingProgram({ label: 'agent:job', hasLeft: false, isAsked: true });
    expect(service.after(IDLE_MS)).toEqual(['stopped']);
    expect(service.notes).toContain(
      'agent:job waited for 30 seconds after all that was recorded of it had been called',
    );
    expect(service.notes).toContain('--requests-before all');
    expect(service.sink.events.map(({ event }) => event)).toMatchObject([{ type: 'note', unanswered: true }]);
  });

  it('is left alone until it was asked, also where it listens or something was refused', () => {
    const service = new WaitingProgram({ label: 'agent:job', hasBegun: false, isAsked: true });
    service.watch.listens();
    service.watch.told({ event: refused });
    expect(service.after(10 * IDLE_MS_MAX)).toEqual([]);
  });
});
