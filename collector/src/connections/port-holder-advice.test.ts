import { expect, it } from 'vitest';
import { portHolderAdvice } from './port-holder-advice.ts';

it('names a program that the system has', () => {
  expect(portHolderAdvice(4318, 'darwin')).toContain('`lsof -i :4318`');
  expect(portHolderAdvice(4318, 'win32')).toBe('');
});
