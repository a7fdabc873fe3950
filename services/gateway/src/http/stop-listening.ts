import type { Server } from 'node:http'
import { connect } from 'node:net'
import { setImmediate as untilPolled } from 'node:timers/promises'

/** Long enough for hundreds of tries. */
const patienceMs = 500

/** What this uses of a handle of Node.js. See docs/library-internals.md. */
interface Handle {
  listen?(backlog: number): number
  /** @returns 0 for a connection that is made */
  getpeername?(out: object): number
}

/**
 * Ends listening without resetting a connection that has arrived. When a server closes its port, the kernel resets the connections that
 * wait to be accepted, and a proxy then cannot know whether its request was processed.
 *
 * So this first shortens the queue to one connection: the kernel ignores others, whose clients try again a second later and find the port
 * closed. The event loop accepts those that wait, one a turn. Then this takes the only place itself, by a connection to this server, and closes
 * the port. If workers share the port, the kernel may give that connection to another worker; then a connection can still be reset that arrives
 * in the same moment.
 */
export async function stopListening(server: Server): Promise<void> {
  handleOf(server)?.listen?.(0)
  for (const endsAt = performance.now() + patienceMs; server.listening && performance.now() < endsAt; ) {
    await untilPolled()
    await closeIfNoneWaits(server)
  }
  if (server.listening) server.close()
}

/** Closes the port if a connection to it can be made at once: then it has the only place of the queue. */
async function closeIfNoneWaits(server: Server): Promise<void> {
  const address = server.address()
  if (address === null || typeof address === 'string') return
  const own = connect(address.port, hostOf(address.address)).on('error', () => {})
  // Node.js connects in its next tick. Within one machine, that takes no time.
  await new Promise<void>((resolve) => process.nextTick(resolve))
  if (handleOf(own)?.getpeername?.({}) === 0) server.close()
  own.destroy()
}

const handleOf = (holder: object): Handle | null | undefined => (holder as { _handle?: Handle | null })._handle

/** Where a server is reached that listens on this address. */
function hostOf(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  return address === '::' ? '::1' : address
}
