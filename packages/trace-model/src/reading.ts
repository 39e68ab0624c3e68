// What it takes to read a recording back: its payloads' schemas and fixture files. Apart from the main entry, because a process that
// only records loads that one, and the libraries behind these would be a good part of its start.
export { recordedDrawsSchema } from './draws-schema.ts';
export { exchangeSchema, exchangesSchema } from './exchange-schema.ts';
export { FIXTURE_VERSION, fixtureLines, readFixture, writeFixture } from './fixture.ts';
export { linesOfFile } from './lines-of-file.ts';
export { reconstructedOutputSchema } from './reconstructed-output.ts';
export { requestBeforeOf, requestsGivenBy, runBeforeOf, runsBesideOf } from './runs-beside-of.ts';
export { setUpLinkOf, setUpOf } from './set-up-of.ts';
export { unpackedBody } from './unpacked-body.ts';
