import { connect, type Socket } from 'node:net'

/** The options that the `postgres` driver passes on. */
export interface SocketTarget {
  host: string[]
  port: number[]
  path: string | false
}

/**
 * Opens the driver's socket. The driver itself does not notice when a server hangs up without an answer, as a proxy
 * without a backend does: it would reconnect at once and for ever, while the query waits. This socket fails then.
 */
export function openSocket({ host, port, path }: SocketTarget): Socket {
  const socket = path === false ? connect(port[0]!, host[0]!) : connect(path)
  // The driver reads it for TLS.
  Object.assign(socket, { host: host[0] })
  socket.once('end', () => {
    if (socket.bytesRead > 0) return
    socket.destroy(
      Object.assign(new Error('the database closed the connection before it answered'), { code: 'ECONNRESET' })
    )
  })
  return socket
}

/** Whether a URL names several servers; then the driver has to choose one. */
export const hasSeveralHosts = (url: string): boolean => /^[^/]*\/\/[^/]*,/.test(url)
