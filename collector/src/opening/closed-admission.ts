import type { ReenactError } from '@reenact/trace-model';
import { Admission, type Room } from '../receivers/admission.ts';

/** Lets no request in, so that none is read before it is refused. */
export class ClosedAdmission extends Admission {
  private readonly why: () => ReenactError;

  constructor(why: () => ReenactError) {
    super(0);
    this.why = why;
  }

  override enter(): Room {
    throw this.why();
  }
}
