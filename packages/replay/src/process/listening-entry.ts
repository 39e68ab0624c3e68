import type { Crossing, Recording } from '@reenact/trace-model';
import type { Listening, WantedServer } from './listening-file.ts';

/** How a run is entered again that somebody entered by asking a server. */
export interface ListeningEntry {
  readonly recording: Recording;
  readonly root: Crossing;
  /** The replay's directory, where its processes tell where they listen. */
  readonly directory: string;
  /** What is sent, in words: `request POST /ask`. */
  readonly label: string;
  /** The server that is asked. */
  readonly server: WantedServer;
  /** Sends what was recorded and reads the answer to its end; gives what the report must say. Never rejects for what the server does. */
  readonly send: (place: Listening, signal: AbortSignal) => Promise<string[]>;
}
