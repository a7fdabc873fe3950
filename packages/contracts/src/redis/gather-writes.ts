import type { Duplex } from 'node:stream'

/**
 * Makes the strings that are written to a stream in one turn of the event loop leave together, as one, in the order in
 * which they were written. (ioredis' own auto-pipelining costs twice as much, and its commands wait for the answers to
 * those before; a corked socket copies every string on its own.)
 *
 * @returns writes what has been gathered so far, for whoever knows that nothing follows in this turn
 */
export function gatherWrites(stream: Duplex): () => void {
  const write = stream.write.bind(stream) as (chunk: string | Uint8Array) => boolean
  let gathered = ''
  const flush = (): void => {
    const text = gathered
    gathered = ''
    if (text !== '' && stream.writable) write(text)
  }
  const end = stream.end.bind(stream) as () => Duplex
  stream.write = ((chunk: string | Uint8Array): boolean => {
    if (typeof chunk !== 'string') {
      flush()
      return write(chunk)
    }
    if (gathered === '') setImmediate(flush)
    gathered += chunk
    return true
  }) as Duplex['write']
  stream.end = (() => {
    flush()
    return end()
  }) as Duplex['end']
  return flush
}
