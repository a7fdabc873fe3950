import { connect, createServer, type Socket } from 'node:net'

/** Starts a proxy to a server that can stop passing bytes on, or end connections, as a broken network does. */
export async function startFreezable(serverUrl: string) {
  const { port } = new URL(serverUrl)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    if (isCut) return void client.destroy()
    const upstream = connect(Number(port), '127.0.0.1')
    for (const [from, to] of [
      [client, upstream],
      [upstream, client]
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      if (isFrozen) from.pause()
    }
  })
  let isFrozen = false
  let isCut = false
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    through(url: string): string {
      const own = new URL(url)
      own.port = String((server.address() as { port: number }).port)
      return own.href
    },
    freeze() {
      isFrozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw() {
      isFrozen = isCut = false
      for (const socket of sockets) socket.resume()
    },
    /** Ends all connections, and new ones at once, until {@link thaw}. */
    cut() {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  }
}
