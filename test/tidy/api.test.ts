import { openApiDocument } from '@reenact/trace-model/collector-api';
import { describe, expect, it } from 'vitest';
import { renderApiPage } from '../conformance/query/api-page.ts';
import { read } from './source-tree.ts';

const document = JSON.parse(JSON.stringify(openApiDocument())) as {
  readonly paths: Record<string, { get: { operationId: string; parameters: { name: string; description: string }[] } }>;
};

describe('the documents of the API', () => {
  it('are those that its schemas amount to now: run npm run generate', () => {
    expect(JSON.parse(read('docs/openapi.json'))).toEqual(document);
    expect(read('docs/api.md')).toBe(renderApiPage());
  });

  it('describe every parameter, and name every question once', () => {
    const operations = Object.values(document.paths).map(({ get }) => get);
    expect(operations.length).toBeGreaterThan(8);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    const silent = operations.flatMap(({ parameters }) => parameters.filter(({ description }) => !description));
    expect(silent).toEqual([]);
  });
});
