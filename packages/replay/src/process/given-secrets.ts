import type { Crossing, RunLink } from '@reenact/trace-model';
import { GIVEN_BODY_BYTES_MAX, GIVEN_WAIT_MS_MAX } from '../limits.ts';
import { filledRequest, macsWantedBy } from './filled-request.ts';
import { cookiesGivenBy, givenInBodyOf, givesInBody, macsGivenBy, type SecretsByMac } from './given-by-answer.ts';
import type { RecordedRequest } from './recorded-request.ts';

/** Reads what comes in answer to a request that was sent. */
export interface AnswerReader {
  head(setCookies: readonly string[]): void;
  chunk(bytes: Uint8Array): void;
  /** All of it has come, or no more will. */
  over(): void;
}

interface Asked {
  readonly spanId: string;
  readonly macs: ReadonlySet<string>;
  isOver: boolean;
}

/**
 * What the answers of one replay have given of what was redacted when they were recorded: cookies, tokens of a log-in. A request that brought such a secret
 * back is sent with the one that this replay's program gave (docs/adr/0053). Equal tokens are equal secrets, so nothing is guessed.
 */
export class GivenSecrets {
  private readonly secrets = new Map<string, string>();
  /** In the order in which they were sent. */
  private readonly asked = new Map<AnswerReader, Asked>();
  private readonly changes = new EventTarget();

  /** To be told of the answer to the request that entered the run of this root. */
  reading(root: Crossing): AnswerReader {
    const asked: Asked = { spanId: root.spanId, macs: new Set(macsGivenBy(root)), isOver: false };
    let pieces: Uint8Array[] | undefined = givesInBody(root) ? [] : undefined;
    let sizeBytes = 0;
    const reader: AnswerReader = {
      head: (setCookies) => this.add(cookiesGivenBy(root, setCookies)),
      chunk: (bytes) => {
        sizeBytes += bytes.byteLength;
        if (sizeBytes > GIVEN_BODY_BYTES_MAX) pieces = undefined;
        pieces?.push(bytes);
      },
      over: () => {
        if (asked.isOver) return;
        asked.isOver = true;
        this.add(pieces === undefined ? new Map() : givenInBodyOf(root, Buffer.concat(pieces)));
      },
    };
    this.asked.set(reader, asked);
    return reader;
  }

  /** A request with the secrets that are known, once the answers have come that are under way and are to give others. `own`: of its own answer. */
  async filled(request: RecordedRequest, own: AnswerReader, signal: AbortSignal): Promise<RecordedRequest> {
    const wanted = macsWantedBy(request);
    if (wanted.length === 0) return request;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(GIVEN_WAIT_MS_MAX)]);
    while (this.isToCome(wanted, own) && !limit.aborted) await this.change(limit);
    return filledRequest(request, (mac) => this.secrets.get(mac));
  }

  /** Whether one of these requests was not sent. */
  lacks(requests: readonly RunLink[]): boolean {
    const sent = new Set(Array.from(this.asked.values(), ({ spanId }) => spanId));
    return requests.some(({ spanId }) => !sent.has(spanId));
  }

  private isToCome(wanted: readonly string[], own: AnswerReader): boolean {
    const readers = [...this.asked.keys()];
    const before = readers.slice(0, readers.indexOf(own)).flatMap((reader) => this.asked.get(reader) ?? []);
    const under = before.filter(({ isOver }) => !isOver);
    return wanted.some((mac) => !this.secrets.has(mac) && under.some(({ macs }) => macs.has(mac)));
  }

  private add(given: SecretsByMac): void {
    for (const [mac, secret] of given) this.secrets.set(mac, secret);
    this.changes.dispatchEvent(new Event('change'));
  }

  private change(limit: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.changes.addEventListener('change', () => resolve(), { once: true });
      limit.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
