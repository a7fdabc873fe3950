import { once } from 'node:events'
import { createServer } from 'node:net'

// Below 32768, where Linux takes the local ports of outgoing connections from: a server there could find its port taken
// by one of the thousands of connections of a run.
const first = 18_100
const last = 18_999
let next = first

/** A port on loopback that nobody listens on. Each call returns another one. Throws when the range is used up. */
export async function takePort(): Promise<number> {
  while (next <= last) {
    const port = next++
    const server = createServer()
    server.listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch {
      continue
    }
    server.close()
    await once(server, 'close')
    return port
  }
  throw new Error(`no free port between ${first} and ${last}`)
}
