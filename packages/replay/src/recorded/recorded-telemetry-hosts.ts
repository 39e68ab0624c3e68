import { ATTR_REENACT_RECORDER_VERSION, ATTR_REENACT_TELEMETRY_HOSTS } from '@reenact/semconv/reenact';
import type { Recording } from '@reenact/trace-model';

/** The hosts to which the recorded process sent telemetry only; undefined where the recording does not say, as of an app's own set-up. */
export function recordedTelemetryHosts({ resource }: Pick<Recording, 'resource'>): readonly string[] | undefined {
  if (!resource.has(ATTR_REENACT_RECORDER_VERSION)) return undefined;
  const hosts = resource.get(ATTR_REENACT_TELEMETRY_HOSTS);
  return Array.isArray(hosts) ? hosts.filter((host) => typeof host === 'string') : [];
}
