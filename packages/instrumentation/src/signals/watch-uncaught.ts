import { processState } from '@reenact/trace-model';
import { gate } from '../admission/current-gate.ts';
import { guarded } from '../host/report-failure.ts';
import { standBeforeEmit } from '../patching/stand-before-emit.ts';
import type { UncaughtError } from '../run/uncaught-error.ts';

function note(uncaught: UncaughtError): void {
  guarded('noting an error that nothing caught', () => gate.uncaught(uncaught), undefined);
}

/** Told of each before anybody who handles it, and changes nothing: the platform calls its listeners beside all others. */
function monitor(error: unknown, origin: NodeJS.UncaughtExceptionOrigin): void {
  note({ error, origin: origin === 'unhandledRejection' ? 'rejection' : 'exception' });
}

/** One for all copies of this package: an app's own recorder may stand beside that of the register hook. */
const watch = processState('uncaught-watch.1', () => ({ watchers: 0, end: (): void => undefined }));

function begin(): () => void {
  process.on('uncaughtExceptionMonitor', monitor);
  // A listener of rejections would keep the process from ending by one.
  const stopRejections = standBeforeEmit(({ event, parameters, hand }) => {
    if (event === 'unhandledRejection') note({ error: parameters[0], origin: 'rejection' });
    return hand();
  });
  return () => {
    process.off('uncaughtExceptionMonitor', monitor);
    stopRejections();
  };
}

/**
 * Has the gate know of each error that nothing caught, where it came about, also of a rejection that a listener of the program handles: many log it and
 * end their process. What the program does about them stays as it is. Returns how to stop.
 */
export function watchUncaught(): () => void {
  if (watch.watchers === 0) watch.end = begin();
  watch.watchers += 1;
  return () => {
    watch.watchers -= 1;
    if (watch.watchers === 0) watch.end();
  };
}
