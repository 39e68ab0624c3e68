import { readFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { ReenactError } from '@reenact/trace-model';
import { OPEN_FILES_RESERVED_MIN, OPEN_FILES_RESERVED_SHARE } from '../limits.ts';
import type { Log } from '../logging/log.ts';

/** Told of a connection that was refused, and from where it came. */
type OnRefused = (error: ReenactError, peer: string | undefined) => void;

const MORE_OPEN_FILES = 'Give the process more open files: LimitNOFILE of the unit, `ulimit -n` in a shell.';

/**
 * Keeps open files for the store: connections beyond the rest are closed at once. Without it the system refuses whatever is opened next, mostly a
 * file of the store, and nobody is told that connections are why.
 */
export class ConnectionLimit {
  private readonly openFilesMax: number;
  private readonly connectionsMax: number;
  private connections = 0;

  /** `openFilesMax`: how many files and connections the process may have open. */
  constructor(openFilesMax = readOpenFilesMax()) {
    this.openFilesMax = openFilesMax;
    const reserved = Math.max(OPEN_FILES_RESERVED_MIN, openFilesMax * OPEN_FILES_RESERVED_SHARE);
    this.connectionsMax = Math.max(1, Math.floor(openFilesMax - reserved));
  }

  /** Of all servers together. */
  get connectionsOpen(): number {
    return this.connections;
  }

  /** Says where connections have less than is kept for the store, before anything fails for it: what cannot be opened then is mostly told without its cause. */
  tellScarce(log: Log): void {
    const { openFilesMax, connectionsMax } = this;
    if (openFilesMax >= 2 * OPEN_FILES_RESERVED_MIN) return;
    log.warn('open files are scarce', { openFilesMax, connectionsMax, next: MORE_OPEN_FILES });
  }

  /** Counts the connections of a server, beside those of others. */
  watch(server: Server, onRefused: OnRefused): void {
    server.prependListener('connection', (socket: Socket) => {
      if (this.connections >= this.connectionsMax) {
        onRefused(this.tooMany(), socket.remoteAddress);
        socket.destroy();
        return;
      }
      this.connections += 1;
      socket.once('close', () => {
        this.connections -= 1;
      });
    });
  }

  private tooMany(): ReenactError {
    return new ReenactError('store-busy', `There are ${this.connectionsMax} connections already.`, {
      next: `Let senders keep fewer. ${MORE_OPEN_FILES}`,
      retryable: true,
    });
  }
}

/** Where the system does not say it, as many as can be. */
function readOpenFilesMax(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? Number.MAX_SAFE_INTEGER : Number(soft);
  } catch {
    return Number.MAX_SAFE_INTEGER;
  }
}
