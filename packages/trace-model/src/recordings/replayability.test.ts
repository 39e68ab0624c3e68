import { describe, expect, it } from 'vitest';
import { encodeValue } from '../values/value-codec.ts';
import { bearsOnReplay, INPUT_MARK, isMarkOfCode } from './replayability.ts';

describe('a lossy mark', () => {
  it('bears on a replay unless it is of a callback that was passed in', () => {
    const tool = { kind: 'tool', parentSpanId: '1' } as const;
    expect(bearsOnReplay('/output/handle object', tool)).toBe(true);
    expect(bearsOnReplay('/input/0 function', tool)).toBe(false);
  });

  it('of a callback bears on it where a tool gives nothing itself: a replay does not call it', () => {
    const returned = (value: unknown) => ({ type: 'returned', value: encodeValue(value).payload }) as const;
    const tool = { kind: 'tool', parentSpanId: '1', outcome: returned(undefined) } as const;
    expect(bearsOnReplay('/input/0 function', tool)).toBe(true);
    expect(bearsOnReplay('/input/0/onText function', tool)).toBe(false);
    expect(bearsOnReplay('/input/0 function', { ...tool, outcome: returned(5) })).toBe(false);
    expect(bearsOnReplay('/input/0 function', { ...tool, kind: 'agent' })).toBe(false);
    expect(bearsOnReplay('/input/0 function', { ...tool, kind: 'memory' })).toBe(false);
  });

  it('of what was put into an argument bears on it where the call itself did that', () => {
    const tool = { kind: 'tool', parentSpanId: '1' } as const;
    expect(bearsOnReplay('/input/0 changed by the call', tool)).toBe(true);
    expect(bearsOnReplay('/input/0 changed meanwhile', tool)).toBe(false);
  });

  it('bears none for a signal that a call was given, but the run itself', () => {
    const tool = { kind: 'tool', parentSpanId: '1' } as const;
    expect(bearsOnReplay('/input/1/signal class AbortSignal', tool)).toBe(false);
    expect(bearsOnReplay('/input/1 class AbortSignal', { kind: 'agent' })).toBe(true);
    expect(bearsOnReplay('/output/signal class AbortSignal', tool)).toBe(true);
    expect(bearsOnReplay('/input/1 class AbortSignals', tool)).toBe(true);
  });

  it('of standard input bears on it where nothing encloses the run, which would give it again', () => {
    expect(bearsOnReplay(INPUT_MARK, { kind: 'agent' })).toBe(true);
    expect(bearsOnReplay(INPUT_MARK, { kind: 'model' })).toBe(true);
    expect(bearsOnReplay(INPUT_MARK, { kind: 'agent', parentSpanId: '1' })).toBe(false);
    expect(isMarkOfCode(INPUT_MARK)).toBe(true);
  });

  it('of a draw bears on it only where the code that drew runs again', () => {
    const mark = '/draws/crypto.randomBytes not recorded';
    expect(bearsOnReplay(mark, { kind: 'agent', parentSpanId: '1' })).toBe(true);
    expect(bearsOnReplay(mark, { kind: 'mcp', parentSpanId: '1', canonicalPolicy: 'delivery/1' })).toBe(true);
    expect(bearsOnReplay(mark, { kind: 'http' })).toBe(true);
    expect(bearsOnReplay(mark, { kind: 'tool', parentSpanId: '1' })).toBe(false);
  });

  it('of a draw after the end of its crossing bears on it wherever the call stands that would have carried it', () => {
    const mark = '/late-draws/crypto.randomBytes not recorded';
    expect(bearsOnReplay(mark, { kind: 'http', parentSpanId: '1' })).toBe(true);
    expect(bearsOnReplay(mark, { kind: 'agent', parentSpanId: '1' })).toBe(true);
    expect(isMarkOfCode(mark)).toBe(true);
  });

  it('of Node.js that was started bears on it where no process was recorded inside', () => {
    const mark = '/connections/program node';
    const agent = { kind: 'agent' } as const;
    expect([mark, `${mark} by a-client`].map((text) => bearsOnReplay(text, agent))).toEqual([true, true]);
    expect([mark, `${mark} by a-client`].map((text) => bearsOnReplay(text, agent, true))).toEqual([false, false]);
    expect(bearsOnReplay('/connections/program nodemon', agent, true)).toBe(true);
  });
});

describe('a lossy mark of what code gave that runs again', () => {
  it('takes nothing where the promise of an agent had more: its code runs again', () => {
    const mark = '/output promise of class QueryBuilder';
    expect(bearsOnReplay(mark, { kind: 'tool', parentSpanId: '1' })).toBe(true);
    expect(bearsOnReplay(mark, { kind: 'agent', parentSpanId: '1' })).toBe(false);
    expect(bearsOnReplay('/output handle Readable', { kind: 'agent', parentSpanId: '1' })).toBe(true);
  });

  it('takes nothing where an agent gave, streamed or threw instances of classes that nobody knows: its code makes them again', () => {
    const marks = ['/output/messages/0 class AIMessage', '/chunks/3 class Chunk', '/error error-class OutOfStock'];
    expect(marks.map((mark) => bearsOnReplay(mark, { kind: 'tool', parentSpanId: '1' }))).toEqual([true, true, true]);
    expect(marks.map((mark) => bearsOnReplay(mark, { kind: 'agent' }))).toEqual([false, false, false]);
    expect(bearsOnReplay('/input/0 class Order', { kind: 'agent' })).toBe(true);
    expect(bearsOnReplay('/output/a class too-large', { kind: 'agent' })).toBe(true);
  });

  it('takes nothing where what an agent gave had members that do not show: its code gives them again', () => {
    const tool = { kind: 'tool', parentSpanId: '1' } as const;
    const agent = { kind: 'agent', parentSpanId: '1' } as const;
    const marks = ['/output members', '/output/answers/0 request-id', '/output symbol-members'];
    expect(marks.map((mark) => bearsOnReplay(mark, tool))).toEqual([true, true, true]);
    expect(marks.map((mark) => bearsOnReplay(mark, agent))).toEqual([false, false, false]);
    expect(bearsOnReplay('/input members', agent)).toBe(true);
  });

  it('takes nothing where an answer was handed on without the id of its request, which nothing compares', () => {
    const tool = { kind: 'tool', parentSpanId: '1' } as const;
    expect(bearsOnReplay('/input/0 request-id', tool)).toBe(false);
    expect(bearsOnReplay('/input/0 members', tool)).toBe(true);
  });
});
