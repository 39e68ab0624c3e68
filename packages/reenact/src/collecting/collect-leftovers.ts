import { existsSync } from 'node:fs';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  type DeliveredLeftovers,
  deliverLeftovers,
  destinationKey,
  isSpoolOff,
  namesLeftBehind,
  preparePlace,
  type SpoolOwner,
  senderOf,
  spoolPlaces,
  thisOwner,
} from '@reenact/instrumentation';
import { headersOf } from './otlp-headers.ts';

/** Sums of what was delivered to the addresses of one collector. */
export type CollectedLeftovers = Pick<DeliveredLeftovers, 'delivered' | 'cut' | 'refused' | 'isDone'>;

/** The addresses that a process on this machine may have been told for a collector that listens at `httpUrl`. */
function endpointsOf(httpUrl: string): string[] {
  const { port, protocol } = new URL(httpUrl);
  return Array.from(new Set([httpUrl, `${protocol}//127.0.0.1:${port}`]), (url) => `${url}/v1/traces`);
}

/** This process, as one that delivers to each of them. */
function ownersFor(httpUrl: string): SpoolOwner[] {
  return [...new Set(endpointsOf(httpUrl).map(destinationKey))].map(thisOwner);
}

function placeIn(environment: NodeJS.ProcessEnv): string | undefined {
  const places = isSpoolOff(environment) ? [] : spoolPlaces(environment).filter((place) => existsSync(place));
  return places.length === 0 ? undefined : preparePlace(places);
}

/** The names of the folders that processes of this machine that are gone left for the collector that listens at `httpUrl`. */
export function leftForCollector(httpUrl: string, environment: NodeJS.ProcessEnv): string[] {
  const place = placeIn(environment);
  return place === undefined ? [] : ownersFor(httpUrl).flatMap((owner) => namesLeftBehind(place, owner));
}

/**
 * Delivers to a collector that runs what processes on this machine left in the spool for it. `environment` names
 * the spool, and the headers that the processes send, which hold their token where the collector wants one. Undefined where there
 * is no spool. A signal ends it behind the request in work; what is left stays where it is.
 */
export async function collectLeftovers(
  httpUrl: string,
  environment: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<CollectedLeftovers | undefined> {
  const place = placeIn(environment);
  if (place === undefined) return undefined;
  const exporter = new OTLPTraceExporter({ url: `${httpUrl}/v1/traces`, headers: headersOf(environment) });
  const sender = senderOf(environment);
  const isEnded = () => signal?.aborted === true;
  const sum = { delivered: 0, cut: 0, refused: 0, isDone: true };
  for (const owner of ownersFor(httpUrl)) {
    const result = await deliverLeftovers({ place, owner, exporter, sender, mayGoOn: async () => !isEnded() });
    sum.delivered += result.delivered;
    sum.cut += result.cut;
    sum.refused += result.refused;
    sum.isDone &&= result.isDone && result.ofOthers === 0;
  }
  await exporter.shutdown();
  return sum;
}
