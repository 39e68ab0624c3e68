/** First part of a registration. */
export interface RegisterHeader {
  readonly replayId: string;
  /** Known to whoever has the replay key. */
  readonly proof: string;
  /** JSON, opaque to the collector. */
  readonly order: string;
  /** Milliseconds from now after which the replay is forgotten. */
  readonly lifeMs: number;
}

/** What a driver sends to hand over a replay: a header, then the recording. */
export interface RegisterPart {
  readonly header?: RegisterHeader;
  readonly recordingChunk?: Uint8Array;
}

/** How a service asks to take part. */
export interface JoinRequest {
  readonly replayId: string;
  readonly proof: string;
  /** Unique among the processes of a replay. */
  readonly processId: string;
  /** Name of the service, for people. */
  readonly service: string;
}

/** What a service that takes part is sent, one member at a time. */
export interface JoinPart {
  readonly header?: { readonly order: string };
  readonly recordingChunk?: Uint8Array;
  readonly ready?: Readonly<Record<string, never>>;
  readonly flush?: { readonly number: number; readonly timeoutMs: number };
}

/** What a service reports. */
export interface ReportRequest {
  readonly replayId: string;
  readonly proof: string;
  readonly processId: string;
  /** Events, one JSON object per line. */
  readonly lines: Uint8Array;
  /** The flush that is answered with this; 0: none. */
  readonly flush: number;
}

/** How a driver asks for what was reported. */
export interface GatherRequest {
  readonly replayId: string;
  readonly proof: string;
  /** How long services are waited for. */
  readonly timeoutMs: number;
}

/** A process that took part. */
export interface Participant {
  readonly processId: string;
  readonly service: string;
  /** Whether it has reported all it had when the driver asked. */
  readonly hasAnswered: boolean;
}

/** What a driver is given, one member at a time. */
export interface GatherPart {
  readonly participant?: Participant;
  readonly lines?: Uint8Array;
}

/** How a driver ends a replay. */
export interface EndRequest {
  readonly replayId: string;
  readonly proof: string;
}

/** An answer that says nothing but that it was done. */
export type EmptyAnswer = Readonly<Record<string, never>>;
