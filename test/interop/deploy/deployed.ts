import { createHash } from 'node:crypto';
import { makeSpan, wrapSpans } from '../../conformance/testbed.ts';
import type { ContainerEngine } from './container-engine.ts';

/** Repository of this checkout: what an image is built from. */
export const REPOSITORY = new URL('../../..', import.meta.url).pathname;

/** The image as the tests name it. */
export const IMAGE = 'localhost/reenact-under-test:latest';

/** A token that may do everything. */
export const TOKEN = 'a-token-with-many-characters';

/** Its digest, as a configuration has it. */
export const TOKEN_SHA256 = createHash('sha256').update(TOKEN).digest('hex');

/** How long a collector may take until it answers on a busy machine, milliseconds. */
export const START_MS_MAX = 60_000;

/** The span that is sent; its times are now, so that backends which look at recent ones find it. */
export const SPAN = makeSpan({
  startTimeUnixNano: `${Date.now()}000000`,
  endTimeUnixNano: `${Date.now() + 1}000000`,
});

/** Builds the image as its Dockerfile says. */
export async function buildImage(engine: ContainerEngine): Promise<void> {
  await engine.run(['build', '--file', `${REPOSITORY}/collector/deploy/Dockerfile`, '--tag', IMAGE, REPOSITORY]);
}

/** Where a port of a container is reached from here. */
export async function urlOf(engine: ContainerEngine, container: string, port: number): Promise<string> {
  const [address = ''] = (await engine.run(['port', container, `${port}/tcp`])).trim().split('\n');
  return `http://${address}`;
}

/** Sends the span; the status of the answer. */
export async function sendSpan(url: string): Promise<number> {
  const { status } = await fetch(`${url}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify(wrapSpans([SPAN])),
  });
  return status;
}

/** Trace ids of the runs that a collector tells of. */
export async function listRuns(url: string): Promise<string[]> {
  const answer = await fetch(`${url}/api/v1/runs`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const { runs } = (await answer.json()) as { runs: { traceId: string }[] };
  return runs.map(({ traceId }) => traceId);
}

/** Whether a collector says that it serves; false where nothing answers. */
export async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}
