import { describe, expect, it } from 'vitest';
import { replayOperands } from './replay-operands.ts';

const id = '0123456789abcdef';

/** As commander hands them over: the operands without the dashes, and the command line with them. */
function operandsOf(line: string, options: { session?: string } = {}): ReturnType<typeof replayOperands> {
  const raw = line.split(' ');
  const dashes = raw.indexOf('--');
  return replayOperands(
    raw.filter((_, index) => index !== dashes),
    raw,
    options,
  );
}

describe('the words of `reenact replay`', () => {
  it('are parted by two dashes, whatever they look like', () => {
    expect(operandsOf(`${id} -- node app.mjs`)).toEqual({ ids: [id], command: ['node', 'app.mjs'] });
    expect(operandsOf(`a.otlp.jsonl b ${id} -- node b.jsonl -- x`)).toEqual({
      ids: ['a.otlp.jsonl', 'b', id],
      command: ['node', 'b.jsonl', '--', 'x'],
    });
    expect(operandsOf('-- node app.mjs')).toEqual({ ids: [], command: ['node', 'app.mjs'] });
  });

  it('begin with recordings where there are no dashes', () => {
    expect(operandsOf('ticket node app.mjs')).toEqual({ ids: ['ticket'], command: ['node', 'app.mjs'] });
    expect(operandsOf(`a.otlp.jsonl ${id} b.json node app.mjs`)).toEqual({
      ids: ['a.otlp.jsonl', id, 'b.json'],
      command: ['node', 'app.mjs'],
    });
    expect(operandsOf('a.otlp.jsonl b.otlp.jsonl')).toEqual({ ids: ['a.otlp.jsonl', 'b.otlp.jsonl'], command: [] });
  });

  it('are all the command of a conversation', () => {
    expect(operandsOf('-- node app.mjs', { session: 'chat' })).toEqual({ ids: [], command: ['node', 'app.mjs'] });
    expect(operandsOf('node app.mjs', { session: 'chat' })).toEqual({ ids: [], command: ['node', 'app.mjs'] });
    for (const line of [`${id} -- node app.mjs`, `${id} node app.mjs`]) {
      expect(operandsOf(line, { session: 'chat' })).toEqual({ ids: [id], command: ['node', 'app.mjs'] });
    }
  });
});
