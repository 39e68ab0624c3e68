import { HostList } from './host-list.ts';

/** Environment variable with further hosts that positions and trace contexts travel to, separated by commas. */
export const PROPAGATION_VARIABLE = 'REENACT_PROPAGATE_TO';

const loopback = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;
const standardPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

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
  return loopback.test(host) || listed.includes(host, port);
}

/** The port of an address of HTTP. */
export function portOf({ port, protocol }: URL): number | undefined {
  return port === '' ? standardPorts[protocol] : Number(port);
}

/** The same as `travelsTo` for an address of HTTP. */
export function travelsToUrl(url: URL): boolean {
  return travelsTo(url.hostname.replace(/^\[(.*)\]$/, '$1'), portOf(url));
}
