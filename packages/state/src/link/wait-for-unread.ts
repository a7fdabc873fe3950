import type { Duplex } from 'node:stream'

/**
 * Makes a stream that is to be destroyed for its silence wait until what has arrived is read: timers come before that, so
 * after a turn of the event loop that took long a server seems silent whose answers are there already.
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
    // The first comes after the reading of this turn, the second after that of the next.
    setImmediate(() =>
      setImmediate(() => {
        stream.off('data', heard)
        if (isSilent) destroy(error)
      })
    )
    return stream
  }
}
