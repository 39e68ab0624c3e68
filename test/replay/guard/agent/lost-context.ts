import { AsyncResource } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import { type Attempts, calledBack } from './attempts.ts';

const outside = new AsyncResource('made while the module loaded');
const emitter = new EventEmitter();
emitter.on('write', (done: (error: unknown) => void) => {
  outside.runInAsyncScope(() => {
    try {
      writeFileSync('written.txt', 'by a listener');
      done(undefined);
    } catch (error) {
      done(error);
    }
  });
});

process.once('exit', () => {
  try {
    writeFileSync('written.txt', 'at the end');
    console.log(JSON.stringify({ name: 'at exit', value: 'written' }));
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string };
    console.log(JSON.stringify({ name: 'fs.writeFileSync at exit', code, message }));
  }
});

/** What runs where no context of the run has reached it. */
export const attempts: Attempts = {
  'fs.writeFileSync without a context': () => context.with(ROOT_CONTEXT, () => writeFileSync('written.txt', 'lost')),
  'fs.writeFileSync in a listener': () => calledBack((done) => emitter.emit('write', done)),
};
