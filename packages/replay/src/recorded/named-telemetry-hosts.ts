import { hostsIn, TELEMETRY_HOSTS_VARIABLE } from '@reenact/instrumentation';
import { ATTR_REENACT_RECORDER_VERSION, ATTR_REENACT_TELEMETRY_HOSTS } from '@reenact/semconv/reenact';
import type { Recording } from '@reenact/trace-model';

/** The hosts to which the recorded process sent telemetry only; undefined where the recording does not say, as of an app's own set-up. */
function recordedTelemetryHosts({ resource }: Pick<Recording, 'resource'>): readonly string[] | undefined {
  if (!resource.has(ATTR_REENACT_RECORDER_VERSION)) return undefined;
  const hosts = resource.get(ATTR_REENACT_TELEMETRY_HOSTS);
  return Array.isArray(hosts) ? hosts.filter((host) => typeof host === 'string') : [];
}

/**
 * The hosts of telemetry of a replay: those of the recording, or else of `environment`, and those that are `planned`. What was recorded before a host was
 * named is answered, and what was none of the recording when it was is not asked for. Undefined where nobody names any.
 */
export function namedTelemetryHosts(
  recording: Pick<Recording, 'resource'>,
  planned: readonly string[],
  environment: NodeJS.ProcessEnv,
): readonly string[] | undefined {
  const recorded = recordedTelemetryHosts(recording);
  if (planned.length === 0) return recorded;
  return [...(recorded ?? hostsIn(environment[TELEMETRY_HOSTS_VARIABLE])), ...planned];
}
