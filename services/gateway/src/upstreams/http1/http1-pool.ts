import { connect, isIP, type OnReadOpts, type Socket } from 'node:net'
import { createSecureContext, connect as secureConnect } from 'node:tls'
import { IntervalChecks } from '../../event-loop/interval-checks.ts'
import { upstreamNames } from '../cached-lookup.ts'
import {
  type AnswerHandler,
  CallError,
  type UpstreamCall,
  type UpstreamPool,
  type UpstreamPoolOptions
} from '../upstream-pool.ts'
import { Connection, type ConnectionOwner, type Dial } from './connection.ts'
import { Exchange } from './exchange.ts'
import { defaultIdleMs, IdleConnections } from './idle-connections.ts'
import { RequestHeads } from './request-head.ts'

/** Checks within the shortest timeout. The interval is at most `maxIntervalMs`. */
const checksPerTimeout = 4
const maxIntervalMs = 1000
/**
 * Minimum idle time of a connection between two requests. Faulty upstreams sent their unexpected second answer within a
 * few milliseconds after the first. The rest needs ten more connections at a thousand requests per second, and about
 * `enoughIdle` at most.
 */
const defaultRestMs = 10

/**
 * Calls an upstream with HTTP/1.1 (RFC 9112): one request at a time on each connection. A connection rests between two
 * requests: see {@link IdleConnections}. If no connection has rested long enough, the call opens another one.
 *
 * Requests are sent at the end of a turn of the event loop. Bytes that arrived before are read first, so they never
 * count as the answer to the request.
 *
 * A call may fail because the upstream closes an idle connection at the same moment. The pool does not retry it.
 */
export class Http1Pool implements UpstreamPool, ConnectionOwner {
  readonly heads: RequestHeads
  readonly idleMs: number
  tick = 0
  readonly #dial: Dial
  readonly #checks: IntervalChecks
  /** Maximum ticks of each phase. The first tick of a phase is shorter than the others. */
  readonly #maxTicks: { readonly connecting: number; readonly first_byte: number; readonly between_chunks: number }
  readonly #connections = new Set<Connection>()
  readonly #idle: IdleConnections<Connection>
  /** Calls of this turn. */
  #waiting: Exchange[] = []
  /** Whether the end of this turn is scheduled. */
  #endsTurn = false
  #underWay = 0
  #isClosed = false
  #onOver: Array<() => void> = []

  constructor({ url, headers, timeouts, ca, restMs = defaultRestMs, idleMs = defaultIdleMs }: UpstreamPoolOptions) {
    this.idleMs = idleMs
    const pathPrefix = url.pathname.replace(/\/+$/, '')
    this.heads = new RequestHeads({ host: url.host, pathPrefix, query: url.search, headers })
    this.#idle = new IdleConnections(restMs)
    this.#dial = createDial(url, ca)
    const { connect, firstByte, betweenChunks } = timeouts
    const intervalMs = Math.min(
      maxIntervalMs,
      Math.ceil(Math.min(connect, firstByte, betweenChunks) / checksPerTimeout)
    )
    const ticksOf = (ms: number) => Math.ceil(ms / intervalMs) + 1
    this.#checks = new IntervalChecks(intervalMs, () => this.#check())
    this.#maxTicks = {
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
    this.#waiting.push(new Exchange(call, handler))
    this.#atEndOfTurn()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const connection of this.#connections) if (connection.phase === 'idle') connection.close()
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#onOver.push(resolve))
  }

  async destroy(): Promise<void> {
    this.#isClosed = true
    const reason = new CallError('pool_closed', 'the gateway ended all calls')
    for (const exchange of this.#waiting.splice(0)) this.#fail(exchange, reason)
    for (const connection of this.#connections) connection.fail(reason)
  }

  onIdle(connection: Connection): void {
    if (this.#isClosed) connection.close()
    else {
      this.#idle.add(connection)
      this.#atEndOfTurn()
    }
  }

  onClosed(connection: Connection): void {
    this.#connections.delete(connection)
    this.#idle.remove(connection)
    if (this.#connections.size === 0) this.#checks.stop()
  }

  onExchangeOver(): void {
    if (--this.#underWay > 0) return
    for (const resolve of this.#onOver.splice(0)) resolve()
  }

  #atEndOfTurn(): void {
    if (this.#endsTurn) return
    this.#endsTurn = true
    setImmediate(this.#endTurn)
  }

  readonly #endTurn = (): void => {
    this.#endsTurn = false
    const waiting = this.#waiting
    if (waiting.length > 0) {
      this.#waiting = []
      const now = performance.now()
      for (const exchange of waiting) this.#begin(exchange, now)
    }
    this.#idle.endTurn()
  }

  #begin(exchange: Exchange, now: number): void {
    const connection = this.#idle.take(now)
    if (connection !== null) {
      connection.begin(exchange)
      return
    }
    try {
      this.#connections.add(new Connection(this, this.#dial, exchange))
      this.#checks.start()
    } catch (error) {
      this.#fail(exchange, new CallError('not_connected', 'the upstream cannot be reached', error))
    }
  }

  #fail(exchange: Exchange, error: Error): void {
    this.onExchangeOver()
    exchange.fail(error)
  }

  /**
   * Counts time in checks, not in milliseconds. So after a suspension of the process, the sockets are read before a
   * call times out.
   */
  #check(): void {
    this.tick++
    const now = performance.now()
    for (const connection of this.#connections) {
      const { phase, since } = connection
      if (phase === 'idle') {
        if (now >= connection.idleUntil) connection.close()
      } else if (phase !== 'paused' && phase !== 'closed' && this.tick - since >= this.#maxTicks[phase]) {
        connection.fail(timeoutErrors[phase]())
      }
    }
  }
}

const timeoutErrors = {
  connecting: () => new CallError('connect_timeout', 'the upstream could not be reached in time'),
  first_byte: () => new CallError('first_byte_timeout', 'the upstream did not begin its answer in time'),
  between_chunks: () => new CallError('between_chunks_timeout', 'the upstream did not continue its answer in time')
}

function createDial(url: URL, ca: string | undefined): Dial {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const { lookup } = upstreamNames
  /** If the addresses cannot be reached, there may be others by now. */
  const forgettingName = <Opened extends Socket>(socket: Opened): Opened => {
    const forget = () => upstreamNames.forget(host)
    return socket.once('error', forget).once('connect', () => socket.off('error', forget))
  }
  if (url.protocol === 'http:') {
    const port = Number(url.port || 80)
    return (onread) => ({ socket: forgettingName(connect({ host, port, lookup, onread })), ready: 'connect' })
  }
  const secureContext = createSecureContext(ca === undefined ? {} : { ca })
  const port = Number(url.port || 443)
  // An IP address is not sent as a server name (RFC 6066, 3).
  const servername = isIP(host) === 0 ? host : ''
  let session: Buffer | undefined
  return (onread: OnReadOpts) => {
    const options = { host, port, lookup, servername, secureContext, session, ALPNProtocols: ['http/1.1'], onread }
    const socket = forgettingName(secureConnect(options))
    socket.on('session', (next) => {
      session = next
    })
    // If the upstream rejects the session, the next connection starts a new one.
    socket.once('error', () => {
      session = undefined
    })
    return { socket, ready: 'secureConnect' }
  }
}
