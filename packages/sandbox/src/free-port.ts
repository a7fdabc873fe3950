import { randomInt } from 'node:crypto'
import { createServer, type Server } from 'node:net'

// Below 32768, where Linux's range for outgoing connections starts. In that range, a client that reconnects to a
// stopped server can get the server's port as its own, and then connects to itself.
const first = 10_240
const end = 32_768
const blockSize = 32

let block: { next: number; readonly end: number } | null = null

/**
 * Finds a free TCP port on 127.0.0.1, for programs that cannot choose one themselves. Each call returns another port.
 *
 * The ports come from blocks. A process claims a block by listening on its first port as long as it lives, so two
 * processes never get the same port. Another program may still take the port first: the caller then tries again.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    if (block === null || block.next === block.end) block = await takeBlock()
    const port = block.next++
    if (await isFree(port)) return port
  }
}

async function takeBlock(): Promise<{ next: number; readonly end: number }> {
  for (let attempt = 0; attempt < 1000; attempt++) {
    const start = first + blockSize * randomInt((end - first) / blockSize)
    const claim = await listen(start)
    if (claim === null) continue
    // The claim must not keep the process alive.
    claim.unref()
    return { next: start + 1, end: start + blockSize }
  }
  throw new Error(`No free port was found on 127.0.0.1 between ${first} and ${end - 1}.`)
}

/**
 * Starts a server on `port`. For port 0 it tries up to five free ports.
 *
 * @param start rejects with PortTakenError on a collision
 */
export async function startOnPort<Server>(port: number, start: (port: number) => Promise<Server>): Promise<Server> {
  if (port !== 0) return start(port)
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await freePort())
    } catch (error) {
      if (!(error instanceof PortTakenError) || attempt === 5) throw error
    }
  }
}

/** @throws PortTakenError if a program listens on this port of 127.0.0.1; never for port 0 */
export async function requireFreePort(port: number): Promise<void> {
  if (!(await isFree(port))) throw new PortTakenError(port)
}

async function isFree(port: number): Promise<boolean> {
  const probe = await listen(port)
  if (probe === null) return false
  await new Promise((resolve) => probe.close(resolve))
  return true
}

/** Listens on the port, and refuses all connections; null if the port is taken. */
function listen(port: number): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', (error) => (isAddressInUse(error) ? resolve(null) : reject(error)))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server))
  })
}

/** Thrown when a server cannot listen because another program uses its port. */
export class PortTakenError extends Error {
  readonly port: number

  /** @param variable the environment variable that sets the port, if there is one */
  constructor(port: number, variable?: string) {
    const named = variable === undefined ? `${port}` : `${port} (${variable})`
    const advice = variable === undefined ? '' : ` Stop that program, or set ${variable} to a free port.`
    super(`Port ${named} is in use by another program.${advice}`)
    this.name = 'PortTakenError'
    this.port = port
  }
}

/** Whether `net.Server.listen` failed because another program uses the port. */
export function isAddressInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
}

/** @returns a {@link PortTakenError} for a failure to listen on a port in use; other failures as they are */
export const portFailure = (error: unknown, port: number): unknown =>
  isAddressInUse(error) ? new PortTakenError(port) : error
