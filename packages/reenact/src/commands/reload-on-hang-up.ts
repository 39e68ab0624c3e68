import { isatty } from 'node:tty';

const STANDARD_INPUT = 0;

/** What SIGHUP does while a command runs. */
export interface HangUps {
  /** Resolves when the terminal that the command was started in has been closed. */
  readonly terminalClosed: Promise<void>;
  /** SIGHUP does again what it does by itself. */
  ignore(): void;
}

/**
 * Calls `reload` whenever the process gets SIGHUP, as operators expect of a server. A terminal that is closed sends the same signal to what
 * runs in it: then the process is to end. `isTerminal` says whether standard input is one that is still open.
 */
export function reloadOnHangUp(reload: () => void, isTerminal: () => boolean = () => isatty(STANDARD_INPUT)): HangUps {
  const wasTerminal = isTerminal();
  let close = (): void => undefined;
  const terminalClosed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const handle = (): void => {
    if (wasTerminal && !isTerminal()) close();
    else reload();
  };
  process.on('SIGHUP', handle);
  return { terminalClosed, ignore: () => void process.off('SIGHUP', handle) };
}
