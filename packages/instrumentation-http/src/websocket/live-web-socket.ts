import { ReenactError } from '@reenact/trace-model';

/** What whoever opens a WebSocket is told where a plan, or a setting, has it opened for real. */
export function liveWebSocket(url: URL): ReenactError {
  return new ReenactError('replay-refused', 'A WebSocket was to be opened for real, which no replay does yet.', {
    where: `GET ${url.host}`,
    next: 'Have it answered from the recording (leave it out of --live and --fork), or record a new run to talk to the service.',
  });
}
