import type { Duplex } from 'node:stream'

/**
 * Delays the destruction of a silent stream until arrived data is read. Node runs timers before it reads. So after a long turn
 * of the event loop, a server may seem silent although its answers have arrived.
 */
export function waitForUnread(stream: Duplex): void {
  const destroy = stream.destroy.bind(stream)
  stream.destroy = (error?: Error): Duplex => {
    if (!error?.message.startsWith('Socket timeout')) return destroy(error)
    let isSilent = true
    const heard = (): void => {
      isSilent = false
    }
    stream.once('data', heard)
    // The first runs after the reads of this turn, the second after those of the next turn.
    setImmediate(() =>
      setImmediate(() => {
        stream.off('data', heard)
        if (isSilent) destroy(error)
      })
    )
    return stream
  }
}
