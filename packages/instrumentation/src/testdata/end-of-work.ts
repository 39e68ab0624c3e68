import { gzip } from 'node:zlib';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { RecordingProcessor, tool } from '../index.ts';

// Run as a process of its own, with a second argument recorded: prints what its listener of `beforeExit` is told, and on standard error what was sent.
const [, , listener = '', isRecorded] = process.argv;
const say = (line: string) => process.stdout.write(`${line}\n`);
let sent = 0;
const exporter: SpanExporter = {
  export(spans, done) {
    setTimeout(() => {
      sent += spans.length;
      done({ code: 0 });
    }, 20);
  },
  shutdown: async () => undefined,
};
if (isRecorded !== undefined) new RecordingProcessor(exporter);
const remember = tool('remember', async (what: string) => what);

/** Begins a timer that is due before the event loop turns. */
function beginShortTimer(): void {
  setTimeout(() => say('timer'), 1);
  const until = performance.now() + 5;
  while (performance.now() < until);
}

const listeners: Record<string, (times: number) => unknown> = {
  'only says so': () => undefined,
  'goes on by timers': (times) => times < 3 && setTimeout(say, 5, 'timer'),
  'goes on by a timer that is due at once': (times) => times < 3 && beginShortTimer(),
  'goes on by an immediate': (times) => times < 3 && setImmediate(say, 'immediate'),
  'goes on where a promise is kept': async (times) => {
    await remember('kept');
    if (times < 3) setTimeout(say, 5, 'timer');
  },
  'compresses beside the event loop': (times) => times < 3 && gzip('much', () => say('compressed')),
  'records each time': () => void remember('over'),
};
let times = 0;
process.on('beforeExit', (code) => {
  times += 1;
  say(`beforeExit ${times}, ${code}`);
  listeners[listener]?.(times);
});
process.on('exit', (code) => {
  say(`exit ${code}`);
  process.stderr.write(`sent ${sent}`);
});
await remember('first');
