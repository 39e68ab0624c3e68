import { describe, expect, it } from 'vitest';
import { senderVersions } from './sender-versions.ts';

function ofUserAgent(value: string): unknown {
  return senderVersions([['User-Agent', value]]);
}

describe('the versions of those that made a request', () => {
  it.each([
    ['OpenAI/JS 7.59.0', { 'OpenAI/JS': '7.59.0' }],
    [
      'ai-sdk-agent/tool-loop ai/7.0.0 ai-sdk/provider-utils/5.0.0 runtime/node.js/24',
      { ai: '7.0.0', 'ai-sdk-provider-utils': '5.0.0' },
    ],
    ['ai/7.0.173 ai-sdk-provider-utils/5.0.81 node.js/24.1.0', { ai: '7.0.173', 'ai-sdk-provider-utils': '5.0.81' }],
    ['langchainjs-openai/1.0.0 ((node/v24.21.0; linux; x64))', { 'langchainjs-openai': '1.0.0' }],
    ['axios/1.8.2-beta.1', { axios: '1.8.2-beta.1' }],
    ['node', {}],
    ['mine', {}],
    ['', {}],
  ])('are read of the user agent %s', (value, versions) => {
    expect(ofUserAgent(value)).toEqual(versions);
  });

  it('are read of the header that names nobody only where nobody else says it', () => {
    const unnamed = ['X-Stainless-Package-Version', '5.23.2'] as const;
    expect(senderVersions([unnamed, ['x-stainless-runtime-version', 'v24.1.0']])).toEqual({ '': '5.23.2' });
    expect(senderVersions([['user-agent', 'OpenAI/JS 5.23.2'], unnamed])).toEqual({ 'OpenAI/JS': '5.23.2' });
    const both = { 'langchainjs-openai': '1.0.0', '': '5.23.2' };
    expect(senderVersions([['user-agent', 'langchainjs-openai/1.0.0'], unnamed])).toEqual(both);
  });

  it('are read of the beginning of a header that somebody made long', () => {
    expect(ofUserAgent('a/'.repeat(200_000))).toEqual({});
    const many = Array.from({ length: 5000 }, (_, index) => `p${index}/1.0`).join(' ');
    expect(Object.keys(senderVersions([['user-agent', many]])).length).toBeLessThan(200);
  });
});
