import type { Duplex } from 'node:stream'
import { utf8 } from './packed.ts'

/** The gathered writes of a stream, as a binary string: each character is a byte. */
interface Gathered {
  bytes: string
  flush: () => void
}

const gatheredFor = new WeakMap<object, Gathered>()

/**
 * Sends all strings that are written to a stream in one turn of the event loop as one write, in order. (ioredis' own
 * auto-pipelining costs twice as much, and its commands wait for earlier answers. A corked socket copies each string
 * separately.)
 *
 * @returns a function that writes the gathered strings now, for callers that know that nothing follows in this turn
 */
export function gatherWrites(stream: Duplex): () => void {
  const write = stream.write.bind(stream) as (chunk: string | Uint8Array, encoding?: BufferEncoding) => boolean
  const gathered: Gathered = { bytes: '', flush }
  gatheredFor.set(stream, gathered)

  function flush(): void {
    const { bytes } = gathered
    gathered.bytes = ''
    if (bytes !== '' && stream.writable) write(bytes, 'latin1')
  }
  const end = stream.end.bind(stream) as () => Duplex
  stream.write = ((chunk: string | Uint8Array): boolean => {
    if (typeof chunk === 'string') {
      gather(gathered, utf8(chunk))
      return true
    }
    flush()
    return write(chunk)
  }) as Duplex['write']
  stream.end = (() => {
    flush()
    return end()
  }) as Duplex['end']
  return flush
}

/** Writes a binary string to a stream of {@link gatherWrites}: each character (at most U+00FF) is a byte. */
export function gatherBytes(stream: object, bytes: string): void {
  gather(gatheredFor.get(stream)!, bytes)
}

function gather(gathered: Gathered, bytes: string): void {
  if (bytes === '') return
  if (gathered.bytes === '') setImmediate(gathered.flush)
  gathered.bytes += bytes
}
