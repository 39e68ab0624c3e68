import type { RunningCollector } from '@reenact/collector';

/**
 * Has a collector read its tokens and certificates again whenever the process gets SIGHUP, until `ignore` is called. Not where
 * it is run in a terminal: one that is closed sends SIGHUP, too, and is to end what runs in it.
 */
export function reloadOnHangUp(
  collector: Pick<RunningCollector, 'reload'>,
  isTerminal: boolean = process.stdin.isTTY === true,
): { ignore(): void } {
  if (isTerminal) return { ignore: () => undefined };
  const reload = () => collector.reload();
  process.on('SIGHUP', reload);
  return { ignore: () => void process.off('SIGHUP', reload) };
}
