import { execFile, execSync, spawn } from 'node:child_process';
import { type Attempts, calledBack, ending } from './attempts.ts';

/** Programs that are no Node.js; each makes a file of its own. */
export const attempts: Attempts = {
  'spawn of touch': () => ending(spawn('touch', ['spawn.txt']), 'close'),
  'execFile of touch by its path': () => calledBack((done) => execFile('/usr/bin/touch', ['exec-file.txt'], {}, done)),
  'a shell that does nothing but touch': () => execSync('touch shell.txt').toString(),
  'a shell that does more': () => execSync('touch more.txt && touch even-more.txt').toString(),
  'spawn of mkdir': () => ending(spawn('mkdir', ['folder']), 'close'),
};
