import type { EventSink } from '../events/event-sink.ts';

/** Whether anybody listened to it; a stream that was only opened, to ask whether it is a terminal, was not read. */
function wasRead({ readableFlowing, readableDidRead, readableEnded }: NodeJS.ReadStream): boolean {
  return readableFlowing !== null || readableDidRead || readableEnded;
}

/** Tells the report at the end of this process that its program has read standard input, where it has. Does not open it. */
export function tellInputRead(sink: EventSink): void {
  const before = Object.getOwnPropertyDescriptor(process, 'stdin');
  const open = before?.get;
  if (open === undefined || before?.configurable !== true) return;
  let stdin: NodeJS.ReadStream | undefined;
  const get = (): NodeJS.ReadStream => {
    stdin = Reflect.apply(open, process, []) as NodeJS.ReadStream;
    return stdin;
  };
  Object.defineProperty(process, 'stdin', { ...before, get });
  process.once('exit', () => {
    if (stdin !== undefined && wasRead(stdin)) sink.write({ type: 'input-read' });
  });
}
