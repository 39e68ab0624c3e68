import { ATTR_NETWORK_LOCAL_PORT } from '@reenact/semconv/core';
import type { Crossing, Recording } from '@reenact/trace-model';
import { requestsGivenBy } from '@reenact/trace-model/reading';
import type { GivenSecrets } from './given-secrets.ts';
import type { ListeningEntry } from './listening-entry.ts';
import { recordedRequestOf } from './recorded-request.ts';
import { sendRecordedRequest, unansweredNotes, versionNotes, withheldNotes } from './send-recorded-request.ts';

/** What it takes to enter a run again by what came in. */
export interface InboundEntryOptions {
  readonly recording: Recording;
  readonly root: Crossing;
  /** Sent in place of the recorded headers of the same names, such as those whose values were redacted. */
  readonly headers: Readonly<Record<string, string>>;
  /** The replay's directory, where its processes tell where they listen. */
  readonly directory: string;
  /** What the answers before it gave. */
  readonly given: GivenSecrets;
}

function withLowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** How a run that an HTTP request entered is entered again. Throws ReenactError `cold-case` where not all of it was kept. */
export function httpEntry({ recording, root, headers, directory, given }: InboundEntryOptions): ListeningEntry {
  const request = recordedRequestOf(root);
  // A program on this machine that knows itself by its name: what it takes for its own origin is made of this.
  const sent = { ...(request.host === undefined ? {} : { host: request.host }), ...withLowerCaseNames(headers) };
  const givers = requestsGivenBy(recording, root.spanId);
  const recordedPort = root.attributes.get(ATTR_NETWORK_LOCAL_PORT);
  return {
    recording,
    root,
    directory,
    label: `request ${request.method} ${request.target}`,
    server: {
      protocols: ['http', 'https'],
      httpVersion: request.httpVersion,
      port: recordedPort === undefined ? undefined : Number(recordedPort),
    },
    send: async (listening, signal) => {
      // It is our own child on this machine, and its certificate is for another name.
      const place = { ...listening, verifiesCertificate: false };
      const reader = given.reading(root);
      const filled = await given.filled(request, reader, signal);
      const failure = await sendRecordedRequest({ place, request: filled, headers: sent, signal, reader });
      const notes = [...withheldNotes(filled, headers, given.lacks(givers)), ...versionNotes({ request, place })];
      return [...notes, ...unansweredNotes(root, failure)];
    },
  };
}
