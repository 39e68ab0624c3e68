import { spawn } from 'node:child_process';

/** How long `systemd-notify` may take, milliseconds: it hands over one datagram. */
const NOTIFY_TIMEOUT_MS = 10_000;

/**
 * Tells the systemd that started this process that it serves now, as `Type=notify` asks (sd_notify(3)). Node.js opens no sockets of
 * that kind, so systemd's own program does it. Does nothing under any other supervisor, and never rejects; where it cannot be told,
 * `say` gets a line about it.
 */
export async function notifySupervisor(environment: NodeJS.ProcessEnv, say: (line: string) => void): Promise<void> {
  if (environment.NOTIFY_SOCKET === undefined || environment.NOTIFY_SOCKET === '') return;
  const why = await new Promise<string | undefined>((resolve) => {
    const told = spawn('systemd-notify', ['--ready'], {
      env: environment,
      stdio: 'ignore',
      timeout: NOTIFY_TIMEOUT_MS,
    });
    told.once('error', (error) => resolve(error.message));
    told.once('exit', (code, signal) => resolve(code === 0 ? undefined : `it ended with ${code ?? signal}`));
  });
  if (why !== undefined) say(`systemd could not be told that the collector serves (systemd-notify: ${why}).`);
}
