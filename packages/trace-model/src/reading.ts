// What it takes to read a recording back: its payloads' schemas and fixture files. Apart from the main entry, because a process that
// only records loads that one, and the libraries behind these would be a good part of its start.
export { recordedDrawsSchema } from './crossings/draws-schema.ts';
export { reconstructedOutputSchema } from './crossings/reconstructed-output.ts';
export { unpackedBody } from './crossings/unpacked-body.ts';
export { exchangeSchema, exchangesSchema } from './exchange-schema.ts';
export { FIXTURE_VERSION, fixtureLines, readFixture, writeFixture } from './recordings/fixture.ts';
export { linesOfFile } from './recordings/lines-of-file.ts';
export { requestBeforeOf, requestsGivenBy, runBeforeOf, runsBesideOf } from './recordings/runs-beside-of.ts';
export { setUpLinkOf, setUpOf } from './recordings/set-up-of.ts';
