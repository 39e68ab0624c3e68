import { expect, it } from 'vitest';
import type { DivergenceEvent } from '../events/replay-event.ts';
import { addedCallAdvice, takenBackAdvice } from './added-call.ts';

function changed(path: string, recorded: string, live: string, at = '$[0]'): DivergenceEvent {
  const difference = [{ path: at, recorded, live }];
  return {
    type: 'divergence',
    kind: 'input-changed',
    message: '',
    path,
    next: 'Find what changed.',
    difference,
    differenceTotal: 1,
    takesEffect: 'at-once',
    insideAtOnce: false,
    recordedAtUs: 0,
  };
}

const first = changed('agent:a/tool:look#2', '"beta"', '"NEW"');

it('a call more than was recorded is told by a later one that asks for what stands there', () => {
  const shifted = changed('agent:a/tool:look#3', '"gamma"', '"beta"');
  expect(addedCallAdvice(first, [changed('agent:a', '1', '2'), shifted])).toMatch(
    /^agent:a\/tool:look#3 asked for what was recorded here, so agent:a\/tool:look#2 seems to be one call more/,
  );
});

it('is told by nothing else', () => {
  expect(addedCallAdvice(first, [])).toBeUndefined();
  expect(addedCallAdvice(first, [changed('agent:a/tool:look#3', '"gamma"', '"other"')])).toBeUndefined();
  expect(addedCallAdvice(first, [changed('agent:a/tool:put#3', '"gamma"', '"beta"')])).toBeUndefined();
  expect(addedCallAdvice(first, [changed('agent:a/tool:look#3', '"gamma"', '"beta"', '$[1]')])).toBeUndefined();
  const more = { ...first, differenceTotal: 2 };
  expect(addedCallAdvice(more, [changed('agent:a/tool:look#3', '"gamma"', '"beta"')])).toBeUndefined();
});

it('is told by one that was given what stands there', () => {
  expect(takenBackAdvice('agent:a/tool:look#2')).toMatch(
    /^A later call asked for exactly what was recorded here and was given it, so this one, at agent:a\/tool:look#2, seems to be one more/,
  );
});
