import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { isAddressInUse, PortTakenError } from './port-taken-error.ts'

/**
 * A TCP port of 127.0.0.1 on which nothing listened a moment ago, for programs that cannot be asked to choose one
 * themselves. Another program may still take it first, so the caller tries again on a collision.
 *
 * It is below 32768, where Linux's range for outgoing connections starts. In that range a client that reconnects to a
 * stopped server can be given the server's own port and then talks to itself.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(10_240, 32_768)
    if (await isFree(port)) return port
  }
  throw new Error('No free port was found on 127.0.0.1 between 10240 and 32767.')
}

/**
 * Starts a server on `port`; on free ports until one of them is still free when the server takes it, if that is 0.
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

/** @throws PortTakenError when a program listens on the port of 127.0.0.1; 0 is never taken */
export async function requireFreePort(port: number): Promise<void> {
  if (!(await isFree(port))) throw new PortTakenError(port)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error) => (isAddressInUse(error) ? resolve(false) : reject(error)))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
