import * as undici from 'undici-6';
import { describe } from 'vitest';
import { describeFidelity } from '../testdata/undici-fidelity.ts';
import { describeGate } from '../testdata/undici-gate.ts';

describe('undici 6', () => describeFidelity(undici as never));

describe('the gate around undici 6', () => describeGate(undici as never));
