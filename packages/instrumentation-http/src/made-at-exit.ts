import { guarded } from '@reenact/instrumentation';

/** Requests of a replay that wait for the rest of what is sent: how each is made with what there is. */
const open = new Set<() => void>();

function callOff(): void {
  for (const make of [...open]) guarded('calling off a request', make, undefined);
  open.clear();
}

/**
 * Has a request that a replay looks up when all of it is known made as it is where its process ends before that: it was begun, as it was
 * when it was recorded. Gives how to tell that all is known, or that nobody waits for it any more.
 */
export function madeAtExit(make: () => void): () => void {
  // In front of what ends the run of the process.
  if (open.size === 0) process.prependOnceListener('exit', callOff);
  open.add(make);
  return () => {
    open.delete(make);
    if (open.size === 0) process.off('exit', callOff);
  };
}
