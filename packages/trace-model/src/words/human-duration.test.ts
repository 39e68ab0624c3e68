import { expect, it } from 'vitest';
import { humanDuration } from './human-duration.ts';

it('says a duration in the unit that people would', () => {
  const said = [0.4031, 2.34, 361.2, 12_440, 65_000, 119_700].map(humanDuration);
  expect(said).toEqual(['403 µs', '2.3 ms', '361 ms', '12.4 s', '1 min 5 s', '2 min 0 s']);
});
