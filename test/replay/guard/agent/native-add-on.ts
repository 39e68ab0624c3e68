import type { Attempts } from './attempts.ts';

export const attempts: Attempts = {
  'a native add-on': async () => (await import('oxc-parser')).parseSync('a.ts', 'const a = 1').program.type,
};
