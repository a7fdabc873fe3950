import { connect, type Socket } from 'node:net'

/** The part of the `postgres` driver's options that it passes on. */
export type SocketTarget = { host: string[]; port: number[]; path: string | false }

/**
 * Opens a connection's socket in place of the driver, which does not notice when a server hangs up before it has said a
 * word, as a proxy without a backend does: it would connect again at once, without end, and the query would wait. Such a
 * socket fails here.
 */
export function openSocket({ host, port, path }: SocketTarget): Socket {
  const socket = path === false ? connect(port[0]!, host[0]!) : connect(path)
  // The driver reads it for TLS.
  Object.assign(socket, { host: host[0] })
  socket.once('end', () => {
    if (socket.bytesRead > 0) return
    socket.destroy(Object.assign(new Error('the database hung up before it answered'), { code: 'ECONNRESET' }))
  })
  return socket
}

/** Whether a URL names more than one server; then the driver itself must choose among them. */
export const hasSeveralHosts = (url: string): boolean => /^[^/]*\/\/[^/]*,/.test(url)
