import { HostList } from '@reenact/instrumentation';
import { ATTR_SERVER_ADDRESS, ATTR_SERVER_PORT } from '@reenact/semconv/core';
import {
  type Crossing,
  crossingLabel,
  type Recording,
  ReenactError,
  type UrlPlace,
  urlPlace,
} from '@reenact/trace-model';
import type { Plan } from './plan-schema.ts';

function placeOf(address: string): UrlPlace | undefined {
  return URL.canParse(address) ? urlPlace(new URL(address)) : undefined;
}

/** Where a recorded call went to. */
function placesOf({ call, attributes, exchanges }: Crossing): UrlPlace[] {
  const host = call === 'exchange' ? attributes.get(ATTR_SERVER_ADDRESS) : undefined;
  const port = attributes.get(ATTR_SERVER_PORT);
  const named = typeof host === 'string' ? [{ host, port: port === undefined ? undefined : Number(port) }] : [];
  return [...named, ...exchanges.flatMap(({ request }) => placeOf(request.url) ?? [])];
}

/** Refuses telemetry hosts that the recording has calls to: those are answered as they were. Throws ReenactError `bad-plan`. */
export function refuseRecordedHosts({ telemetryHosts = [] }: Plan, recording: Recording): void {
  for (const named of telemetryHosts) {
    const list = new HostList([named]);
    const called = [...recording.bySpanId.values()].find((crossing) =>
      placesOf(crossing).some(({ host, port }) => list.includes(host, port)),
    );
    if (called === undefined) continue;
    throw new ReenactError(
      'bad-plan',
      `The plan names ${named} as a host of telemetry, and the recording has calls to it, such as ${crossingLabel(called)}: what was recorded is answered as it was.`,
      {
        where: named,
        next: `Leave it out and name the places that differ under ignore, or record again with REENACT_TELEMETRY_HOSTS=${named}.`,
      },
    );
  }
}

/** Refuses telemetry hosts where the process that runs again has read its own already. Throws ReenactError `bad-plan`. */
export function refuseTelemetryHosts({ telemetryHosts = [] }: Plan, where: string): void {
  const [named] = telemetryHosts;
  if (named === undefined) return;
  throw new ReenactError(
    'bad-plan',
    `The plan names hosts of telemetry, which only a replay that starts a command can take.`,
    {
      where,
      next: `Start the process that runs again with REENACT_TELEMETRY_HOSTS=${telemetryHosts.join(',')}, and leave telemetryHosts out of the plan.`,
    },
  );
}
