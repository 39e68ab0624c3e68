import { expect, it } from 'vitest';
import { ANSWERS_MAX } from '../limits.ts';
import { IdentifiedQuestions } from './identified-questions.ts';

const [here, there, channel] = [{}, {}, {}];

/** Questions asked over one channel, each known by its number, and what finds which of them a message answers. */
function asked(...questions: readonly (readonly [place: object, message: unknown])[]): (message: unknown) => unknown {
  const known = new IdentifiedQuestions<number>();
  questions.forEach(([place, message], index) => {
    known.asked(place, channel, message, () => index);
  });
  return (message) => known.answeredBy([here, there], channel, message);
}

it.each(['id', 'uid', 'taskId', 'requestID', 'job_id', 'seq', 'callUUID'])(
  'finds by the member %s which question is answered, of whichever place',
  (name) => {
    const answered = asked([here, { [name]: 1 }], [there, { [name]: 2 }], [here, { [name]: '1' }]);
    expect([1, 2, '1', 3].map((value) => answered({ [name]: value, result: 7 }))).toEqual([0, 1, 2, undefined]);
  },
);

it('finds none by an id that two questions have, and the one that another id tells', () => {
  const answered = asked(
    [here, { userId: 7, id: 1 }],
    [there, { userId: 7, id: 2 }],
    [here, { userId: 8, id: 3 }],
    [here, { userId: 8, id: 4 }],
  );
  const messages = [{ userId: 7 }, { userId: 8 }, { userId: 7, id: 2 }, { userId: 8, id: 3 }];
  expect(messages.map(answered)).toEqual([undefined, undefined, 1, 2]);
});

it('finds none by an id that is asked by again where no more questions are kept', () => {
  const many = Array.from({ length: ANSWERS_MAX }, (_, id) => [here, { id }] as const);
  const answered = asked(...many, [here, { id: 0 }]);
  expect([0, 1].map((id) => answered({ id }))).toEqual([undefined, 1]);
});

it('finds none where ids tell different questions', () => {
  expect(asked([here, { id: 1 }], [here, { taskId: 1 }])({ id: 1, taskId: 1 })).toBeUndefined();
});

it('reads no member that is no value of the message, or not named as an id', () => {
  const read: string[] = [];
  const watched = {
    get id() {
      read.push('id');
      return 1;
    },
  };
  const answered = asked(
    [here, watched],
    [here, { valid: 1, id: Number.NaN }],
    [here, [{ id: 1 }]],
    [here, 1],
    [here, null],
  );
  expect([answered({ id: 1 }), answered({ valid: 1 }), read]).toEqual([undefined, undefined, []]);
});
