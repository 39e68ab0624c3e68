import { expect, it } from 'vitest';
import { meantNames } from './meant-names.ts';

const keys = ['dataDirectory', 'host', 'httpPort', 'grpcPort', 'metricsExport', 'tokens', 'tokensFile'];
const variables = ['DATA_DIRECTORY', 'HOST', 'HTTP_PORT', 'GRPC_PORT', 'METRICS_EXPORT'];

it.each([
  ['port', keys, ['httpPort', 'grpcPort']],
  ['PORT', variables, ['HTTP_PORT', 'GRPC_PORT']],
  ['http_port', keys, ['httpPort']],
  ['dataDir', keys, ['dataDirectory']],
  ['directory', keys, ['dataDirectory']],
  ['httpPrt', keys, ['httpPort']],
  ['tokns', keys, ['tokens']],
  ['colour', keys, []],
])('of %s the names meant are those with its words, else the close one', (text, names, meant) => {
  expect(meantNames(text, names)).toEqual(meant);
});

it('go by closeness where too many have the words', () => {
  const many = ['replaysMax', 'replayBytesMax', 'replayMembersMax', 'replayLifeMaxMs', 'replayed'];
  expect(meantNames('replay', many)).toEqual(['replayed']);
});
