import { type FSWatcher, readdirSync, readFileSync, renameSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { LISTEN_SETTLE_MS } from '../limits.ts';

const listeningSchema = z.object({
  protocol: z.enum(['http', 'https', 'grpc', 'grpcs']),
  /** Address, or the path of a Unix socket. */
  address: z.string(),
  /** Absent on a Unix socket. */
  port: z.number().optional(),
});

/** Where a server of a process of the replay listens. */
export type Listening = z.infer<typeof listeningSchema>;

let told = 0;

/** Tells the driver where a server of this process listens. Never throws: a driver that is gone needs no answer. */
export function tellListening(directory: string, listening: Listening): void {
  told += 1;
  const name = `listening-${process.pid}-${told}.json`;
  try {
    // Renamed into place, so that nobody ever reads half of it.
    writeFileSync(join(directory, `.${name}`), JSON.stringify(listening), { mode: 0o600 });
    renameSync(join(directory, `.${name}`), join(directory, name));
  } catch {
    // The directory is removed when the replay is over.
  }
}

function readListening(directory: string, name: string): Listening[] {
  try {
    return [listeningSchema.parse(JSON.parse(readFileSync(join(directory, name), 'utf8')))];
  } catch {
    return [];
  }
}

/** What the processes of a replay have told so far. */
function allListening(directory: string): Listening[] {
  const names = readdirSync(directory).filter((name) => /^listening-[\d-]+\.json$/.test(name));
  return names.flatMap((name) => readListening(directory, name));
}

/**
 * The server to ask among those that speak `protocols`: the one on `preferredPort` as soon as it listens, else the first one if
 * it is still the only choice a moment later. Undefined when the signal aborts before.
 */
export function awaitListening(
  directory: string,
  preferredPort: number | undefined,
  signal: AbortSignal,
  protocols: readonly Listening['protocol'][] = ['http', 'https'],
): Promise<Listening | undefined> {
  return new Promise((resolve) => {
    let settling: NodeJS.Timeout | undefined;
    const done = (listening: Listening | undefined): void => {
      clearTimeout(settling);
      watcher.close();
      resolve(listening);
    };
    const look = (): void => {
      const all = allListening(directory).filter(({ protocol }) => protocols.includes(protocol));
      const preferred = all.find(({ port }) => port !== undefined && port === preferredPort);
      const [first] = all;
      if (preferred !== undefined) done(preferred);
      else if (first !== undefined) settling ??= setTimeout(() => done(first), LISTEN_SETTLE_MS);
    };
    const watcher: FSWatcher = watch(directory, look);
    signal.addEventListener('abort', () => done(undefined), { once: true });
    if (signal.aborted) done(undefined);
    else look();
  });
}
