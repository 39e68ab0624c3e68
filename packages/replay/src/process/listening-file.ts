import { type FSWatcher, readdirSync, readFileSync, renameSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pristine } from '@reenact/instrumentation';
import { z } from 'zod';
import { LISTEN_SETTLE_MS } from '../limits.ts';
import { ownHost } from './replay-driver.ts';

const listeningSchema = z.object({
  protocol: z.enum(['http', 'https', 'grpc', 'grpcs']),
  /** Address, or the path of a Unix socket. */
  address: z.string(),
  /** Absent on a Unix socket. */
  port: z.number().optional(),
  /** Versions of HTTP that it understands; absent where that is not told. */
  httpVersions: z
    .array(z.enum(['1.1', '2']))
    .readonly()
    .optional(),
});

/** The machine or container that its process is on, as that of a driver. */
const placeSchema = z.object({ host: z.string() });

/** A version of HTTP, as OpenTelemetry writes it. */
export type HttpVersion = '1.1' | '2';

/** Where a server of a process of the replay listens. */
export type Listening = z.infer<typeof listeningSchema>;

let told = 0;

/** Tells the driver where a server of this process listens. Never throws: a driver that is gone needs no answer. */
export function tellListening(directory: string, listening: Listening): void {
  told += 1;
  const name = `listening-${pristine.processId}-${told}.json`;
  try {
    // Renamed into place, so that nobody ever reads half of it.
    writeFileSync(join(directory, `.${name}`), JSON.stringify({ ...listening, host: ownHost }), { mode: 0o600 });
    renameSync(join(directory, `.${name}`), join(directory, name));
  } catch {
    // The directory is removed when the replay is over.
  }
}

function read<Told>(schema: z.ZodType<Told>, directory: string, name: string): Told | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(join(directory, name), 'utf8')));
  } catch {
    return undefined;
  }
}

/** What the processes of a replay have told so far. */
function allListening(directory: string): Listening[] {
  const names = readdirSync(directory).filter((name) => /^listening-[\d-]+\.json$/.test(name));
  return names.flatMap((name) => read(listeningSchema, directory, name) ?? []);
}

/** A process of a replay that has told of a server. */
export interface ListeningProcess {
  readonly processId: number;
  /** Whether it is on this machine, where its number is that of no other process. */
  readonly isHere: boolean;
}

/** The processes of a replay that have told of a server. Throws where the directory is gone. */
export function listeningProcesses(directory: string): readonly ListeningProcess[] {
  return readdirSync(directory).flatMap((name) => {
    const processId = /^listening-(\d+)-\d+\.json$/.exec(name)?.[1];
    if (processId === undefined) return [];
    return [{ processId: Number(processId), isHere: read(placeSchema, directory, name)?.host === ownHost }];
  });
}

/** Which server is asked. */
export interface WantedServer {
  /** The port it had when it was recorded, where that is known. */
  readonly port?: number | undefined;
  /** The version of HTTP it was asked by, where that is known. */
  readonly httpVersion?: HttpVersion | undefined;
  readonly protocols: readonly Listening['protocol'][];
}

/**
 * The server to ask among those that speak `protocols`. Where a port is wanted, it is the one on that port, as soon as it listens. Else it is chosen a moment
 * after the first has begun to listen: the first that understands the wanted version, or the first of all where none does. Undefined where the
 * signal aborts before.
 */
export function awaitListening(
  directory: string,
  { port: wantedPort, httpVersion, protocols }: WantedServer,
  signal: AbortSignal,
): Promise<Listening | undefined> {
  return new Promise((resolve) => {
    let settling: NodeJS.Timeout | undefined;
    const done = (listening: Listening | undefined): void => {
      clearTimeout(settling);
      watcher.close();
      resolve(listening);
    };
    const listeningNow = (): Listening[] =>
      allListening(directory).filter(({ protocol }) => protocols.includes(protocol));
    const understands = ({ httpVersions }: Listening): boolean =>
      httpVersion !== undefined && httpVersions?.includes(httpVersion) === true;
    const settle = (): void => {
      const all = listeningNow();
      done(all.find(understands) ?? all[0]);
    };
    const look = (): void => {
      const all = listeningNow();
      const wanted = all.find(({ port }) => port !== undefined && port === wantedPort);
      if (wanted !== undefined) done(wanted);
      else if (all.length > 0) settling ??= setTimeout(settle, LISTEN_SETTLE_MS);
    };
    const watcher: FSWatcher = watch(directory, look);
    signal.addEventListener('abort', () => done(undefined), { once: true });
    if (signal.aborted) done(undefined);
    else look();
  });
}
