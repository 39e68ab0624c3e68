import { ExportResultCode } from '@opentelemetry/core';
import { describe, expect, it } from 'vitest';
import { exportBatch } from './export-batch.ts';

describe('an export that a receiver turned away', () => {
  it.each([
    [400, 'refused'],
    [413, 'refused'],
    [422, 'refused'],
    [401, 'failed'],
    [403, 'failed'],
    [404, 'failed'],
    [408, 'failed'],
    [429, 'failed'],
    [503, 'failed'],
    [undefined, 'failed'],
  ])('with status %s has %s: the only copy is given up for nothing that can be mended', async (code, type) => {
    const error = Object.assign(new Error('no'), { code });
    const exporter = {
      export: (_: unknown, done: (result: { code: number; error: Error }) => void) =>
        done({ code: ExportResultCode.FAILED, error }),
      shutdown: async () => undefined,
    };
    expect(await exportBatch(exporter, [])).toMatchObject({
      type,
      detail: code === undefined ? 'no' : `no, status ${code}`,
    });
  });
});
