import { reportFailure } from './report-failure.ts';

/** Waits for a hook of the exporter; where it fails, the host's shutdown goes on all the same. */
export async function settledQuietly(where: string, hook: () => Promise<void> | undefined): Promise<void> {
  try {
    await hook();
  } catch (thrown) {
    reportFailure(where, thrown);
  }
}
