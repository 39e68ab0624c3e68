import { createHmac, randomBytes } from 'node:crypto';

/** A position as a driver with the key would sign it, made by what docs/across-processes.md says and none of our code. */
export function signedPosition(
  key: string,
  expiresInSeconds: number,
  replayId = randomBytes(8).toString('hex'),
): string {
  const positionKey = createHmac('sha256', key).update(`reenact.position.${replayId}`).digest();
  const text = `${replayId}.-.${Math.floor(Date.now() / 1_000) + expiresInSeconds}`;
  const mac = createHmac('sha256', positionKey).update(text).digest().subarray(0, 16).toString('base64url');
  return `reenact.replay=${text}.${mac}`;
}
