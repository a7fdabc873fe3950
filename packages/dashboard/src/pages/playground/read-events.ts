/**
 * Yields the `data:` of each server-sent event of a stream. Chunks can end anywhere.
 *
 * @param chunks UTF-8 bytes
 */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.startsWith('data:')) yield line.slice('data:'.length).trimStart()
    }
  }
}
