import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setImmediate as untilPolled } from 'node:timers/promises'

/** Counts the model calls in flight. A stopping process waits for them. */
export class CallsInFlight {
  #count = 0
  #onNone: Array<() => void> = []

  get count(): number {
    return this.#count
  }

  entered(): void {
    this.#count++
  }

  left(): void {
    if (--this.#count > 0) return
    for (const resolve of this.#onNone.splice(0)) resolve()
  }

  /** Resolves when no call is in flight. */
  async whenNone(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#onNone.push(resolve))
  }
}

const checkEveryMs = 100
/** How long an incomplete request may keep its connection open. The gateway would refuse the request anyway. */
const startedRequestMs = 2000

/**
 * Closes each connection of a stopping server as soon as its client has read its answers. Node.js itself keeps
 * connections without a request, or with a part of one, open until their clients close them.
 */
export class Connections {
  readonly #server: Server
  readonly #open = new Set<Socket>()
  /** Connections that had sent nothing when they were checked last. */
  #silent = new Set<Socket>()
  #timer: NodeJS.Timeout | undefined

  constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket) => {
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
    })
    server.once('close', () => clearInterval(this.#timer))
  }

  /** How many are open. */
  get count(): number {
    return this.#open.size
  }

  /** Call this once every answer has been written. It waits until clients have read them. */
  closeWhenRead(): void {
    const startedAt = performance.now()
    // Timers run before sockets are read, so the check waits for the requests that have arrived.
    this.#timer = setInterval(() => setImmediate(() => this.#check(startedAt)), checkEveryMs)
  }

  #check(startedAt: number): void {
    this.#server.closeIdleConnections()
    const isPatient = performance.now() - startedAt < startedRequestMs
    const silent = new Set<Socket>()
    for (const socket of this.#open) {
      if (socket.bytesRead === 0) silent.add(socket)
      if (socket.writableLength === 0 && ((socket.bytesRead === 0 && this.#silent.has(socket)) || !isPatient))
        socket.destroy()
    }
    this.#silent = silent
  }
}

/** Long enough for hundreds of tries. */
const patienceMs = 500

/** What this uses of a handle of Node.js. See docs/library-internals.md. */
interface Handle {
  listen?(backlog: number): number
  /** @returns 0 for a connection that is made */
  getpeername?(out: object): number
}

/**
 * Ends listening without resetting a connection that has arrived. When a server closes its port, the kernel resets the
 * connections that wait to be accepted, and a proxy then cannot know whether its request was processed.
 *
 * So this first shortens the queue to one connection: the kernel ignores others, whose clients try again a second later
 * and find the port closed. The event loop accepts those that wait, one a turn. Then this takes the only place itself,
 * by a connection to this server, and closes the port. If workers share the port, the kernel may give that connection
 * to another worker; then a connection can still be reset that arrives in the same moment.
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
