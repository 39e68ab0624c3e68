/** How an act ended. */
export interface Ended {
  readonly value?: unknown;
  readonly error?: unknown;
}

/** Runs `act` and tells how it ended. */
export async function endOf(act: () => unknown): Promise<Ended> {
  try {
    return { value: await act() };
  } catch (error) {
    return { error };
  }
}
