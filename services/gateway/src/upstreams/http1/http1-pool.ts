import { connect, isIP, type OnReadOpts } from 'node:net'
import { createSecureContext, connect as secureConnect } from 'node:tls'
import { Looks } from '../../looks.ts'
import { CallError } from '../call-error.ts'
import type { AnswerHandler, UpstreamCall, UpstreamPool, UpstreamPoolOptions } from '../upstream-pool.ts'
import { Connection, type ConnectionOwner, type Dial } from './connection.ts'
import { Exchange } from './exchange.ts'
import { RequestHeads } from './request-head.ts'

/** So often the clock is looked at within the shortest time-out, and at least every second. */
const looksPerTimeout = 4
const rarestLookMs = 1000

/**
 * Calls an upstream with HTTP/1.1 (RFC 9112): as many connections as there are calls at the same time, one request at a
 * time on each. The connection that was used last is used next, so that those that are not needed any more get old and
 * are closed.
 *
 * A call may fail because the upstream closed an idle connection in the same moment; it is not made again here.
 */
export class Http1Pool implements UpstreamPool, ConnectionOwner {
  readonly heads: RequestHeads
  tick = 0
  readonly #dial: Dial
  readonly #looks: Looks
  /** How many ticks a phase may last. That in which it began was not a whole one. */
  readonly #limits: { readonly connecting: number; readonly first_byte: number; readonly between_chunks: number }
  readonly #connections = new Set<Connection>()
  /** Those without an exchange; the one used last is at the end. */
  readonly #idle: Connection[] = []
  #underWay = 0
  #isClosed = false
  #onOver: Array<() => void> = []

  constructor({ url, headers, timeouts, ca }: UpstreamPoolOptions) {
    this.heads = new RequestHeads({ host: url.host, pathPrefix: url.pathname.replace(/\/+$/, ''), headers })
    this.#dial = dialler(url, ca)
    const { connect, firstByte, betweenChunks } = timeouts
    const lookEveryMs = Math.min(rarestLookMs, Math.ceil(Math.min(connect, firstByte, betweenChunks) / looksPerTimeout))
    const ticksOf = (ms: number) => Math.ceil(ms / lookEveryMs) + 1
    this.#looks = new Looks(lookEveryMs, () => this.#look())
    this.#limits = {
      connecting: ticksOf(connect),
      first_byte: ticksOf(firstByte),
      between_chunks: ticksOf(betweenChunks)
    }
  }

  get underWay(): number {
    return this.#underWay
  }

  dispatch(call: UpstreamCall, handler: AnswerHandler): void {
    if (this.#isClosed) {
      handler.onResponseError(null, new CallError('pool_closed', 'the gateway is stopping'))
      return
    }
    this.#underWay++
    const exchange = new Exchange(call, handler)
    const connection = this.#takeIdle()
    if (connection !== null) connection.begin(exchange)
    else {
      this.#connections.add(new Connection(this, this.#dial, exchange))
      this.#looks.start()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const connection of this.#connections) if (connection.phase === 'idle') connection.close()
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#onOver.push(resolve))
  }

  async destroy(): Promise<void> {
    this.#isClosed = true
    for (const connection of this.#connections) {
      connection.fail(new CallError('pool_closed', 'the gateway cut off what was under way'))
    }
  }

  onIdle(connection: Connection): void {
    if (this.#isClosed) connection.close()
    else connection.slot = this.#idle.push(connection) - 1
  }

  onClosed(connection: Connection): void {
    this.#connections.delete(connection)
    const { slot } = connection
    if (slot >= 0) {
      connection.slot = -1
      // The last one takes its place: to move all others would take long where many close at once.
      const last = this.#idle.pop()!
      if (last !== connection) {
        this.#idle[slot] = last
        last.slot = slot
      }
    }
    if (this.#connections.size === 0) this.#looks.stop()
  }

  onExchangeOver(): void {
    if (--this.#underWay > 0) return
    for (const resolve of this.#onOver.splice(0)) resolve()
  }

  #takeIdle(): Connection | null {
    if (this.#idle.length === 0) return null
    const now = performance.now()
    for (let last = this.#idle.pop(); last !== undefined; last = this.#idle.pop()) {
      last.slot = -1
      if (now < last.idleUntil) return last
      last.close()
    }
    return null
  }

  /**
   * Time is counted in looks, not in milliseconds: after a moment in which the process could not run, what has come
   * meanwhile is read before anything is taken for too slow.
   */
  #look(): void {
    this.tick++
    const now = performance.now()
    for (const connection of this.#connections) {
      const { phase, since } = connection
      if (phase === 'idle') {
        if (now >= connection.idleUntil) connection.close()
      } else if (phase !== 'held_back' && phase !== 'closed' && this.tick - since >= this.#limits[phase]) {
        connection.fail(lateErrors[phase]())
      }
    }
  }
}

const lateErrors = {
  connecting: () => new CallError('connect_timeout', 'the upstream could not be reached in time'),
  first_byte: () => new CallError('first_byte_timeout', 'the upstream did not begin its answer in time'),
  between_chunks: () => new CallError('between_chunks_timeout', 'the upstream did not go on with its answer in time')
}

function dialler(url: URL, ca: string | undefined): Dial {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (url.protocol === 'http:') {
    const port = Number(url.port || 80)
    return (onread) => ({ socket: connect({ host, port, onread }), ready: 'connect' })
  }
  const secureContext = createSecureContext(ca === undefined ? {} : { ca })
  const port = Number(url.port || 443)
  // A name that was given as an address is not sent (RFC 6066, 3).
  const servername = isIP(host) === 0 ? host : ''
  let session: Buffer | undefined
  return (onread: OnReadOpts) => {
    const options = { host, port, servername, secureContext, session, ALPNProtocols: ['http/1.1'], onread }
    const socket = secureConnect(options)
    socket.on('session', (next) => {
      session = next
    })
    // An upstream that does not like it any more gets a new one.
    socket.once('error', () => {
      session = undefined
    })
    return { socket, ready: 'secureConnect' }
  }
}
