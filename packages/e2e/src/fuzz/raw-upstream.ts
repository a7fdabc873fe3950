import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** An upstream that reads a request, writes the given pieces of bytes, valid HTTP or not, and closes. */
export async function startRawUpstream(): Promise<{
  url: string
  answer(next: readonly Buffer[]): void
  close(): Promise<void>
}> {
  let answer: readonly Buffer[] = []
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    // The gateway may close the connection at any time.
    socket.on('error', () => {})
    let request = ''
    socket.on('data', (chunk) => {
      const wasWhole = isWhole(request)
      request += chunk.toString('latin1')
      if (!wasWhole && isWhole(request)) void write(socket, answer)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer(next) {
      answer = next
    },
    async close() {
      server.close()
      for (const socket of open) socket.destroy()
      await once(server, 'close')
    }
  }
}

/** Whether a request is complete. An earlier answer would close the connection too early for some clients. */
function isWhole(request: string): boolean {
  const end = request.indexOf('\r\n\r\n')
  const length = /\r\ncontent-length: (\d+)/i.exec(request)?.[1] ?? 0
  return end >= 0 && request.length >= end + 4 + Number(length)
}

async function write(socket: Socket, pieces: readonly Buffer[]): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return
    socket.write(piece)
    await new Promise(setImmediate)
  }
  // A reset would overtake the written bytes, and each client would get another part of them.
  socket.end()
}
