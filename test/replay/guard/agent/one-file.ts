import { writeFileSync } from 'node:fs';
import type { Attempts } from './attempts.ts';

export const attempts: Attempts = {
  'one file': () => writeFileSync(process.env.ONE_FILE ?? '', 'written'),
};
