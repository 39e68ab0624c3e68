import { join } from 'node:path';
import { directoryBytes } from '@reenact/collector/testing';
import { badgerIn, startJaeger } from '../interop/peers/jaeger-peer.ts';
import { peerPath } from '../interop/peers/peer.ts';
import { peerFolder } from '../interop/peers/running-peer.ts';
import { type AgentConversations, traceIdOf } from './agent-conversations.ts';

/**
 * Bytes that a Jaeger v2 with Badger keeps of these runs once it was stopped in order, every run of them asked back whole before;
 * undefined where that peer was not built.
 */
export async function jaegerBadgerSize(
  conversations: AgentConversations,
  runs: number,
  spansPerRun: number,
): Promise<number | undefined> {
  const program = peerPath('jaeger');
  if (program === undefined) return undefined;
  const folder = peerFolder();
  try {
    const data = join(folder.path, 'badger');
    const jaeger = await startJaeger(program, folder, badgerIn(data));
    try {
      for (let run = 0; run < runs; run += 1) {
        for (const request of conversations.encodedOf(run)) await send(jaeger.otlpUrl, request);
      }
      for (let run = 0; run < runs; run += 1) await jaeger.trace(traceIdOf(run), spansPerRun);
    } finally {
      await jaeger.stop();
    }
    return directoryBytes(data);
  } finally {
    folder.remove();
  }
}

async function send(otlpUrl: string, request: Uint8Array): Promise<void> {
  const headers = { 'content-type': 'application/x-protobuf' };
  const response = await fetch(`${otlpUrl}/v1/traces`, { method: 'POST', headers, body: Buffer.from(request) });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`Jaeger answered ${response.status}`);
}
