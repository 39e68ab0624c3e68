import fetchAdapter from '@pollyjs/adapter-fetch';
import httpAdapter from '@pollyjs/adapter-node-http';
import { Polly, type PollyConfig } from '@pollyjs/core';
import persisterModule, { type Har } from '@pollyjs/persister';
import type { HttpContender } from './http-contender.ts';

type Adapter = Exclude<NonNullable<PollyConfig['adapters']>[number], string>;
type PersisterClass = Exclude<NonNullable<PollyConfig['persister']>, string>;

// These packages are CommonJS: what their types call the default export is the module itself.
const [Persister, fetchClass, httpClass] = [persisterModule, fetchAdapter, httpAdapter] as unknown as [
  PersisterClass,
  Adapter,
  Adapter,
];

const kept = new Map<string, Har>();

/** Keeps recordings where the others keep theirs: in memory. */
class MemoryPersister extends Persister {
  static get id(): string {
    return 'memory';
  }

  override async onFindRecording(id: string): Promise<Har | null> {
    return kept.get(id) ?? null;
  }

  override async onSaveRecording(id: string, har: Har): Promise<void> {
    kept.set(id, har);
  }

  override async onDeleteRecording(id: string): Promise<void> {
    kept.delete(id);
  }
}

const settings: PollyConfig = {
  adapters: [fetchClass, httpClass],
  persister: MemoryPersister,
  recordIfMissing: false,
  logLevel: 'silent',
};

/** PollyJS, with a session of its own for each round. */
export const contenderPolly: HttpContender = {
  record: async (act) => {
    const recorder = new Polly('traffic', { ...settings, mode: 'record' });
    await act();
    await recorder.stop();
    return {
      replay: async (again) => {
        const player = new Polly('traffic', { ...settings, mode: 'replay' });
        await again();
        await player.stop();
      },
    };
  },
};
