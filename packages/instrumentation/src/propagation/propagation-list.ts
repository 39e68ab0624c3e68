import { isLoopback, urlPlace } from '@reenact/trace-model';
import { HostList } from './host-list.ts';

/** Environment variable with further hosts that positions and trace contexts travel to, separated by commas. */
export const PROPAGATION_VARIABLE = 'REENACT_PROPAGATE_TO';

/** The hosts that a variable names, separated by commas. */
export function hostsIn(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((host) => host.trim())
    .filter((host) => host !== '');
}

const listed = new HostList(hostsIn(process.env[PROPAGATION_VARIABLE]));

/**
 * Whether the position of a replay, and the trace context of a recorded run, go along with what is sent to a host: to this
 * machine, and where the user says so in `REENACT_PROPAGATE_TO`. `host`: a name or an address, IPv6 without brackets.
 */
function travelsTo(host: string, port: number | undefined): boolean {
  return isLoopback(host) || listed.includes(host, port);
}

/** The same as `travelsTo` for an address of HTTP. */
export function travelsToUrl(url: URL): boolean {
  const { host, port } = urlPlace(url);
  return travelsTo(host, port);
}
