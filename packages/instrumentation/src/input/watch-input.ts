import { isatty } from 'node:tty';
import { isMainThread } from 'node:worker_threads';
import { guarded } from '../host/report-failure.ts';
import { disguised, type PatchSet } from '../patching/patch-set.ts';
import { asksForSecret } from './asks-for-secret.ts';
import { endsLine } from './held-piece.ts';
import type { InputWatch } from './input-watch.ts';
import { OwnReads } from './own-reads.ts';
import { ShownOutput } from './shown-output.ts';
import { watchFilesOfInput } from './watch-files-of-input.ts';
import { watchSocketsOfInput } from './watch-sockets-of-input.ts';

const STDOUT = 1;

type Push = (this: unknown, chunk: unknown, encoding?: BufferEncoding) => boolean;

interface StandardInput {
  readonly isTTY?: boolean;
  readonly isRaw?: boolean;
}

function bytesOf(chunk: unknown, encoding?: BufferEncoding): Uint8Array | undefined {
  if (typeof chunk === 'string') return Buffer.from(chunk, encoding);
  return chunk instanceof Uint8Array ? chunk : undefined;
}

/** Watches what the platform gives the stream of standard input, in front of everybody who listens. */
function watchStream(patches: PatchSet, stream: StandardInput, { isRecorded, tape }: InputWatch): void {
  const shown = new ShownOutput();
  const isShown = stream.isTTY === true && isatty(STDOUT);
  if (isShown && isRecorded) for (const output of [process.stdout, process.stderr]) shown.watch(patches, output);
  const note = (chunk: unknown, encoding?: BufferEncoding): void => {
    if (!isRecorded) {
      if (chunk !== null) tape.cut();
      return;
    }
    const bytes = bytesOf(chunk, encoding);
    const isTerminal = stream.isTTY === true;
    const isRaw = isTerminal && stream.isRaw === true;
    const isSecret = isRaw && asksForSecret(shown.toString());
    if (chunk === null || bytes !== undefined)
      tape.read({ bytes, isTerminal, isShown, isRaw, isSecret, isFile: false });
    if (isRaw && bytes !== undefined && endsLine(bytes)) shown.begin();
  };
  patches.precede<Push>(stream, 'push', (original) => {
    const push: Push = function (chunk, encoding) {
      guarded('recording standard input', () => note(chunk, encoding), undefined);
      return Reflect.apply(original, this, [chunk, encoding]) as boolean;
    };
    return disguised(push, original);
  });
}

/**
 * Records what this process is given of its standard input, by its stream or read like a file, for the runs that it is given to. The stream is not opened
 * for that, which would keep a process alive and change a terminal, and nobody listens to it. That of a worker thread is a stream of the thread that started it.
 */
export function watchInput(patches: PatchSet, watch: InputWatch): void {
  if (!isMainThread) return;
  const ownReads = new OwnReads();
  let watched: object | undefined;
  patches.replaceGetter(process, 'stdin', (open) => () => {
    const stream = open();
    if (typeof stream === 'object' && stream !== null && stream !== watched) {
      watched = stream;
      watchStream(patches, stream, watch);
      ownReads.watch(patches, stream);
    }
    return stream;
  });
  watchFilesOfInput(patches, watch, ownReads);
  watchSocketsOfInput(patches, watch.tape, ownReads);
}
