import { readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import type { Child } from '../child/child.ts'
import { PortTakenError } from '../free-port.ts'
import type { RedisAccess } from './running-redis.ts'

const readyTimeoutMs = 300_000
const conditionTimeoutMs = 30_000
const retryMs = 10

/**
 * Resolves when the child answers and has loaded its data. Another server on its port does not count.
 *
 * @throws PortTakenError if another program uses the port, or Error with the server's last lines
 */
export async function untilServerReady(child: Child, port: number, access: RedisAccess): Promise<void> {
  const deadline = performance.now() + readyTimeoutMs
  while (performance.now() < deadline) {
    const info = await Promise.race([askRedisInfo(port, access), child.ended.then(() => null)])
    // A Sentinel has no field `loading`.
    if (info?.get('process_id') === String(child.pid) && (info.get('loading') ?? '0') === '0') return
    await Promise.race([child.ended, delay(retryMs)])
    if (!child.isRunning()) {
      if (child.output().includes('Address already in use')) throw new PortTakenError(port)
      throw new Error(`The Redis server ended before it was ready. Its last lines:\n${child.output()}`)
    }
  }
  throw new Error(`The Redis server was not ready after ${readyTimeoutMs / 1000} s. Its last lines:\n${child.output()}`)
}

/**
 * Resolves when the INFO of a server meets a condition.
 *
 * @param condition names it, for the error
 */
export async function untilInfo(
  port: number,
  options: RedisAccess & { command?: 'INFO' | 'CLUSTER INFO' },
  condition: string,
  isReached: (info: ReadonlyMap<string, string>) => boolean
): Promise<void> {
  const deadline = performance.now() + conditionTimeoutMs
  for (;;) {
    const info = await askRedisInfo(port, options)
    if (info !== null && isReached(info)) return
    if (performance.now() > deadline)
      throw new Error(`The Redis at port ${port} is not ${condition} after ${conditionTimeoutMs} ms.`)
    await delay(retryMs)
  }
}

interface AskOptions extends RedisAccess {
  readonly command?: 'INFO' | 'CLUSTER INFO'
  readonly timeoutMs?: number
}

/**
 * Reads INFO of a Redis server on 127.0.0.1, as fields by name; null if no server answers.
 *
 * It uses a plain socket: a client library would reconnect.
 */
export function askRedisInfo(port: number, options: AskOptions = {}): Promise<ReadonlyMap<string, string> | null> {
  const { command = 'INFO', password, tls, timeoutMs = 1_000 } = options
  return new Promise((resolve) => {
    const address = { host: '127.0.0.1', port }
    const socket =
      tls === undefined ? createConnection(address) : connectTls({ ...address, ca: readFileSync(tls.caFile) })
    // Latin-1 keeps one character for each byte, and the header counts bytes.
    let text = ''
    socket.setEncoding('latin1').setTimeout(timeoutMs)
    socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
      socket.write(`${password === undefined ? '' : authenticate(password)}${command}\r\n`)
    })
    socket.on('data', (more) => {
      text += more
      if (password !== undefined && text.startsWith('+OK\r\n')) text = text.slice('+OK\r\n'.length)
      const header = /^\$(\d+)\r\n/.exec(text)
      if (header === null) {
        // Another reply, such as "-NOAUTH …". An incomplete header has no line end yet.
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

/** Bulk strings, since a password may contain spaces. */
function authenticate(password: string): string {
  return `*2\r\n$4\r\nAUTH\r\n$${Buffer.byteLength(password)}\r\n${password}\r\n`
}

function parseInfo(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0 && !line.startsWith('#')) values.set(line.slice(0, colon), line.slice(colon + 1))
  }
  return values
}
