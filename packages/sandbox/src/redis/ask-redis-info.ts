import { createConnection } from 'node:net'

/**
 * What a Redis server on 127.0.0.1 answers to INFO, by name; null when nothing that answers it listens there.
 *
 * Written on the bare socket, so that starting a server needs no client library with its reconnecting.
 */
export function askRedisInfo(port: number, limitMs = 1_000): Promise<ReadonlyMap<string, string> | null> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port })
    // Latin-1, because the header counts bytes.
    let text = ''
    socket.setEncoding('latin1').setTimeout(limitMs)
    socket.once('connect', () => socket.write('INFO\r\n'))
    socket.on('data', (more) => {
      text += more
      const header = /^\$(\d+)\r\n/.exec(text)
      if (header === null) {
        // Any other kind of reply ("-NOAUTH …") is not an INFO; an incomplete header is at most a few bytes.
        if (text.includes('\r\n')) socket.destroy()
      } else if (text.length >= header[0].length + Number(header[1])) {
        socket.destroy()
      }
    })
    socket.once('timeout', () => socket.destroy())
    socket.once('error', () => undefined)
    socket.once('close', () => resolve(text.startsWith('$') ? parseInfo(text) : null))
  })
}

function parseInfo(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0 && !line.startsWith('#')) values.set(line.slice(0, colon), line.slice(colon + 1))
  }
  return values
}
