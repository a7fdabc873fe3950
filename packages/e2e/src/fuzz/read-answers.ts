import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** An answer in the bytes of a connection. */
export interface WireAnswer {
  status: number
  headers: Record<string, string>
  body: string
  isComplete: boolean
}

/**
 * Parses all answers of a connection. It is strict, because the gateway writes every answer in the same form.
 *
 * @throws Error naming the first problem
 */
export function readAnswers(bytes: Buffer): WireAnswer[] {
  const answers: WireAnswer[] = []
  let rest = bytes.toString('latin1')
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) throw new Error(`the head does not end: ${JSON.stringify(rest.slice(0, 200))}`)
    const [line = '', ...fields] = rest.slice(0, end).split('\r\n')
    const status = /^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/.exec(line)?.[1]
    if (status === undefined) throw new Error(`invalid status line: ${JSON.stringify(line)}`)
    const headers: Record<string, string> = {}
    for (const field of fields) {
      const [, name, value] = /^([A-Za-z0-9-]+): ([\x20-\x7e]*)$/.exec(field) ?? []
      if (name === undefined || value === undefined) throw new Error(`invalid header: ${JSON.stringify(field)}`)
      if (headers[name.toLowerCase()] !== undefined) throw new Error(`repeated header: ${name}`)
      headers[name.toLowerCase()] = value
    }
    rest = rest.slice(end + 4)
    const { body, length, isComplete } = readBody(Number(status), headers, rest)
    rest = rest.slice(length)
    if (Number(status) >= 200)
      answers.push({ status: Number(status), headers, body: Buffer.from(body, 'latin1').toString(), isComplete })
  }
  return answers
}

function readBody(
  status: number,
  headers: Record<string, string>,
  rest: string
): { body: string; length: number; isComplete: boolean } {
  if (status < 200 || status === 204) return { body: '', length: 0, isComplete: true }
  if (headers['transfer-encoding'] === 'chunked') return readChunks(rest)
  const length = Number(headers['content-length'] ?? Number.NaN)
  if (Number.isNaN(length)) return { body: rest, length: rest.length, isComplete: true }
  return { body: rest.slice(0, length), length, isComplete: rest.length >= length }
}

function readChunks(rest: string): { body: string; length: number; isComplete: boolean } {
  let body = ''
  for (let at = 0; ; ) {
    const end = rest.indexOf('\r\n', at)
    if (end < 0) return { body, length: rest.length, isComplete: false }
    const size = rest.slice(at, end)
    if (!/^[0-9a-f]+$/.test(size)) throw new Error(`invalid chunk size: ${JSON.stringify(size)}`)
    const length = Number.parseInt(size, 16)
    body += rest.slice(end + 2, end + 2 + length)
    at = end + 2 + length + 2
    if (at > rest.length) return { body, length: rest.length, isComplete: false }
    if (length === 0) return { body, length: at, isComplete: true }
  }
}

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
