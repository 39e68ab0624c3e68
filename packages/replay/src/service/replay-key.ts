import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ReenactError } from '@reenact/trace-model';
import { REPLAY_KEY_CHARACTERS_MIN } from '../limits.ts';

/** Environment variable with the file that holds the replay key. */
const REPLAY_KEY_FILE_VARIABLE = 'REENACT_REPLAY_KEY_FILE';

const makeOne = `Make one with: openssl rand -base64 32 > replay.key, and name it in ${REPLAY_KEY_FILE_VARIABLE}.`;

/** Reads the replay key, which driver and services share. Throws ReenactError `bad-config`. */
export function readReplayKey(environment: NodeJS.ProcessEnv): string {
  const path = environment[REPLAY_KEY_FILE_VARIABLE];
  if (path === undefined || path === '') {
    throw new ReenactError('bad-config', 'There is no replay key, so nobody could tell a replay from an attack.', {
      where: REPLAY_KEY_FILE_VARIABLE,
      next: makeOne,
    });
  }
  let key: string;
  try {
    key = readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw new ReenactError('bad-config', 'The file with the replay key cannot be read.', {
      where: path,
      next: makeOne,
      cause,
    });
  }
  if (key.length >= REPLAY_KEY_CHARACTERS_MIN) return key;
  throw new ReenactError('bad-config', `The replay key is shorter than ${REPLAY_KEY_CHARACTERS_MIN} characters.`, {
    where: path,
    next: makeOne,
  });
}

function derived(key: string, purpose: string, replayId: string): string {
  return createHmac('sha256', key).update(`reenact.${purpose}.${replayId}`, 'utf8').digest('base64url');
}

/** The key that signs the positions of one replay, base64url. */
export function positionKeyOf(key: string, replayId: string): string {
  return derived(key, 'position', replayId);
}

/** What proves to the replay service that one has the key; it says nothing about the key or about positions. */
export function serviceProofOf(key: string, replayId: string): string {
  return derived(key, 'service', replayId);
}
