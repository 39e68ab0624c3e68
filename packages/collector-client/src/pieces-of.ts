/**
 * The body of an answer as it comes; none is empty. A reader that stops early cancels the rest of it. By the body's reader, because not every browser
 * has bodies that can be iterated.
 */
export async function* piecesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  let isOver = false;
  try {
    while (true) {
      const { done, value } = await reader.read();
      isOver = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!isOver) await reader.cancel().catch(() => undefined);
  }
}
