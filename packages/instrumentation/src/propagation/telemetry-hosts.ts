import { urlPlace } from '@reenact/trace-model';
import { HostList } from './host-list.ts';
import { hostsIn } from './propagation-list.ts';

/** Environment variable with hosts to which only telemetry is sent, separated by commas. */
export const TELEMETRY_HOSTS_VARIABLE = 'REENACT_TELEMETRY_HOSTS';

const named = hostsIn(process.env[TELEMETRY_HOSTS_VARIABLE]);
const listed = new HostList(named);

/** The hosts that the user named. */
export const telemetryHosts: readonly string[] = named;

/** Whether the user says that what goes to this host, IPv6 addresses without brackets, is telemetry, and no part of a run. */
export function isTelemetryTarget(host: string, port: number): boolean {
  return named.length > 0 && listed.includes(host, port);
}

/** Whether the user says that what goes to this address is telemetry, and no part of a run. */
export function isTelemetryHost(url: URL): boolean {
  if (named.length === 0) return false;
  const { host, port } = urlPlace(url);
  return listed.includes(host, port);
}
