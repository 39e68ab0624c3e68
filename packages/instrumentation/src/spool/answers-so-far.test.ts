import { afterEach, describe, expect, it } from 'vitest';
import type { CrossingFacts, StartedCrossing } from '../gate/crossing-facts.ts';
import { SPOOL_ANSWER_MS } from '../limits.ts';
import { AnswersSoFar } from './answers-so-far.ts';

const open: AnswersSoFar[] = [];

afterEach(() => {
  for (const answers of open.splice(0)) answers.close();
});

/** Crossings whose answers have so many characters, a clock that is set by hand, and when what was written. */
function underTest(
  answered: Record<string, number | undefined>,
  write: (spanKey: string) => boolean = () => true,
  isWhole = true,
) {
  let nowMs = 1_000;
  const written: [spanKey: string, afterMs: number][] = [];
  const answers = new AnswersSoFar({
    write: (spanKey) => {
      written.push([spanKey, nowMs - 1_000]);
      return write(spanKey);
    },
    charactersMax: 100,
    nowMs: () => nowMs,
  });
  open.push(answers);
  for (const spanKey of Object.keys(answered)) {
    const crossing: StartedCrossing = {
      spanKey,
      answeredCharacters: () => answered[spanKey],
      factsSoFar: () => ({}) as CrossingFacts,
    };
    answers.began(crossing, isWhole);
  }
  const pass = (untilMs: number): void => {
    for (; nowMs < 1_000 + untilMs; nowMs += SPOOL_ANSWER_MS) answers.writeDue();
  };
  return { answers, answered, written, pass };
}

describe('what has come of answers', () => {
  it('is written when the crossing is a moment old, and then whenever it is older by a quarter and more has come', () => {
    const { answered, written, pass } = underTest({ stream: 0 });
    for (let turn = 1; turn <= 33; turn += 1) {
      // Nothing comes for a while.
      if (turn < 20 || turn > 28) answered.stream = turn;
      pass(SPOOL_ANSWER_MS * turn);
    }
    const turns = written.map(([, afterMs]) => afterMs / SPOOL_ANSWER_MS);
    expect(turns).toEqual([1, 2, 3, 4, 5, 7, 9, 12, 15, 19, 28]);
  });

  it('is not written before there is any, nor of a crossing that has ended', () => {
    const { answers, answered, written, pass } = underTest({ late: undefined, short: 5 });
    answers.ended('short');
    pass(SPOOL_ANSWER_MS * 3);
    expect(written).toEqual([]);
    answered.late = 0;
    pass(SPOOL_ANSWER_MS * 4);
    expect(written).toEqual([['late', SPOOL_ANSWER_MS * 3]]);
  });

  it('is left at what was written last once it is too much, or cannot be written', () => {
    const { answered, written, pass } = underTest({ long: 5, refused: 5 }, (spanKey) => spanKey !== 'refused');
    pass(SPOOL_ANSWER_MS * 2);
    answered.long = 101;
    pass(SPOOL_ANSWER_MS * 3);
    answered.long = 5;
    pass(SPOOL_ANSWER_MS * 40);
    expect(written.map(([spanKey]) => spanKey)).toEqual(['long', 'refused']);
  });

  it('goes on for the others where looking at one fails', () => {
    const { answers, answered, written, pass } = underTest({ sound: 5 });
    const broken = (): never => {
      throw new Error('broken');
    };
    answers.began({ spanKey: 'broken', answeredCharacters: broken, factsSoFar: broken }, true);
    pass(SPOOL_ANSWER_MS * 2);
    answered.sound = 6;
    pass(SPOOL_ANSWER_MS * 3);
    expect(written.map(([spanKey]) => spanKey)).toEqual(['sound', 'sound']);
  });

  it('begins with what a crossing was called with that was too large for its start, whether anything has come or not', () => {
    const { answered, written, pass } = underTest({ large: undefined }, undefined, false);
    pass(SPOOL_ANSWER_MS * 4);
    expect(written).toEqual([['large', SPOOL_ANSWER_MS]]);
    answered.large = 1;
    pass(SPOOL_ANSWER_MS * 5);
    expect(written).toHaveLength(2);
  });
});
