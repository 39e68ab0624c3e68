import type { OutgoingHttpHeaders } from 'node:http';

/** Headers by their names in lower case; several of one name are one text. */
export function plainHeaders(headers: OutgoingHttpHeaders): Record<string, string> {
  const said = Object.entries(headers).filter(([name, value]) => !name.startsWith(':') && value !== undefined);
  return Object.fromEntries(said.map(([name, value]) => [name.toLowerCase(), [value].flat().join(', ')]));
}

/** `100 Continue` answers for the connection, and the platform may say it by itself. */
const CONTINUE = 100;

/** What a handler said before its answer (`102`, `103`), in order, as it is compared. */
export class InterimAnswers {
  private readonly said: Readonly<Record<string, unknown>>[] = [];

  add(status: number, headers: OutgoingHttpHeaders): void {
    if (status === CONTINUE) return;
    const plain = plainHeaders(headers);
    this.said.push({ status, ...(Object.keys(plain).length === 0 ? {} : { headers: plain }) });
  }

  /** A member of the compared answer; none where nothing was said. */
  get value(): { readonly interim?: readonly unknown[] } {
    return this.said.length === 0 ? {} : { interim: this.said };
  }
}
