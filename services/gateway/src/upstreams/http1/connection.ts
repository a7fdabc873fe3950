import type { OnReadOpts, Socket } from 'node:net'
import { CallError, type CallErrorCode } from '../upstream-pool.ts'
import { AnswerParser } from './answer-parser.ts'
import type { Exchange, ExchangeConnection } from './exchange.ts'
import { type Idle, type IdleState, keptOpenMs } from './idle-connections.ts'
import type { RequestHeads } from './request-head.ts'

/**
 * All connections read into this buffer, because each read is handled before the next one. So a stream that waits for
 * its next event needs no buffer.
 */
const readInto = Buffer.allocUnsafeSlow(65_536)

/** Bodies up to this length are written as one text with the head. For longer ones, a gathered write costs less. */
const maxTextBody = 16_384

/** The part of a pool that its connections use. */
export interface ConnectionOwner {
  readonly heads: RequestHeads
  /** How long a connection rests before it closes, if its upstream names no time; ms. */
  readonly idleMs: number
  /** The clock of {@link Connection.since}. */
  readonly tick: number
  /** Called when an exchange has ended and the connection can be reused. */
  onIdle(connection: Connection): void
  onClosed(connection: Connection): void
  /** Called before the handler of an exchange gets the end or an error. */
  onExchangeOver(): void
}

/** Opens a socket that reads into `onread`. After its `ready` event, requests can be written to it. */
export type Dial = (onread: OnReadOpts) => { socket: Socket; ready: 'connect' | 'secureConnect' }

export type Phase = 'connecting' | 'first_byte' | 'between_chunks' | 'paused' | 'idle' | 'closed'

/** A connection to an upstream. It has one exchange after the other, and opens for the first one. */
export class Connection implements Idle, ExchangeConnection {
  /** The tick in which the phase began, or the last bytes arrived. */
  since: number
  idleSince = 0
  idleUntil = 0
  idleTurn = 0
  state: IdleState = 'in use'
  earlier: Idle | null = null
  later: Idle | null = null
  readonly #owner: ConnectionOwner
  readonly #socket: Socket
  readonly #parser = new AnswerParser()
  #exchange: Exchange | null
  #phase: Phase = 'connecting'
  #isSent = false
  #isPaused = false
  /** Whether this side of the connection was closed during the exchange. */
  #isLeft = false

  constructor(owner: ConnectionOwner, dial: Dial, first: Exchange) {
    this.#owner = owner
    this.since = owner.tick
    this.#exchange = first
    const { socket, ready } = dial({
      buffer: readInto,
      callback: (length) => {
        this.#read(readInto.subarray(0, length))
        return true
      }
    })
    this.#socket = socket
    socket.once(ready, () => this.#connected())
    socket.on('end', () => this.#ended())
    socket.on('error', (error) => this.#broke(error))
    socket.on('close', () => this.#broke())
  }

  get phase(): Phase {
    return this.#isPaused ? 'paused' : this.#phase
  }

  /** Begins an exchange on an idle connection. */
  begin(exchange: Exchange): void {
    this.#exchange = exchange
    this.#parser.reset()
    this.#phase = 'first_byte'
    this.since = this.#owner.tick
    this.#isSent = false
    try {
      exchange.start(this)
      // The handler may have aborted the call.
      if (this.#exchange === exchange) this.#send(exchange)
      else this.#rest()
    } catch (error) {
      this.fail(error as Error)
    }
  }

  /** Ends the exchange because its handler aborted the call. */
  abandon(reason: Error): void {
    if (this.#isSent) {
      this.fail(reason)
      return
    }
    // Nothing was written, so the connection stays usable.
    this.#takeExchange()?.fail(reason)
  }

  /**
   * Closes only this side. The upstream notices it, and bytes on their way are still read. If the request is not sent
   * completely, the exchange is aborted instead, because the socket would first send the rest.
   */
  leave(reason: Error): void {
    if (!this.#isSent || this.#socket.writableLength > 0) {
      this.abandon(reason)
      return
    }
    this.resume()
    this.#isLeft = true
    this.#socket.end()
  }

  /** Closes the connection and fails its exchange. */
  fail(error: Error): void {
    this.close()
    this.#takeExchange()?.fail(error)
  }

  /** Closes a connection without an exchange. */
  close(): void {
    if (this.#phase === 'closed') return
    this.#phase = 'closed'
    this.#isPaused = false
    this.#owner.onClosed(this)
    this.#socket.destroy()
  }

  pause(): void {
    if (this.#phase === 'closed') return
    this.#isPaused = true
    this.#socket.pause()
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.since = this.#owner.tick
    this.#socket.resume()
  }

  #connected(): void {
    if (this.#phase === 'closed') return
    // Small writes are sent at once. Keep-alive probes find a dead upstream during a long wait.
    this.#socket.setNoDelay(true).setKeepAlive(true, 60_000)
    this.begin(this.#exchange!)
  }

  #send(exchange: Exchange): void {
    const call = exchange.call!
    const { body } = call
    // The body may be large, so this frees memory.
    exchange.call = null
    this.#isSent = true
    const head = this.#owner.heads.of(call)
    if (typeof body === 'string' || body.length <= maxTextBody) {
      this.#socket.write(head + (typeof body === 'string' ? body : body.toString('latin1')), 'latin1')
      return
    }
    this.#socket.cork()
    this.#socket.write(head, 'latin1')
    this.#socket.write(body)
    this.#socket.uncork()
  }

  #read(bytes: Buffer): void {
    const exchange = this.#exchange
    if (exchange === null) {
      // Unexpected bytes must not count as the answer to the next request.
      this.close()
      return
    }
    const parser = this.#parser
    const hadHead = parser.head !== null
    parser.push(bytes)
    // A part of a head does not count as the beginning of an answer.
    if (parser.head !== null) this.since = this.#owner.tick
    try {
      if (!hadHead && parser.head !== null) {
        this.#phase = 'between_chunks'
        exchange.handler.onResponseStart(exchange, parser.head.status, parser.head)
      }
      // The handler may have aborted the call.
      if (parser.body.length > 0 && this.#exchange === exchange) exchange.handler.onResponseData(exchange, parser.body)
    } catch (error) {
      this.fail(error as Error)
    }
    if (this.#exchange === exchange) this.#conclude('malformed_answer')
  }

  #ended(): void {
    // An error with more details follows.
    if (this.#phase === 'connecting') return
    this.#parser.end()
    if (this.#exchange !== null) this.#conclude('connection_broke')
    this.close()
  }

  #broke(error?: Error): void {
    const isConnecting = this.#phase === 'connecting'
    const failure = isConnecting
      ? new CallError('not_connected', 'the upstream cannot be reached', error)
      : new CallError('connection_broke', 'the connection to the upstream broke', error)
    this.fail(failure)
  }

  /**
   * Ends the exchange if its answer is complete or broken.
   *
   * @param faultCode the error code of a broken answer
   */
  #conclude(faultCode: CallErrorCode): void {
    const { fault, isComplete, leavesConnection } = this.#parser
    if (fault !== null) {
      const error = new CallError(faultCode, `the upstream's answer is broken: ${fault}`)
      // The client first gets the bytes before the fault, at the end of this turn.
      process.nextTick(() => this.fail(error))
      this.close()
    } else if (isComplete) {
      const exchange = this.#takeExchange()!
      // No other request may follow before this one is written.
      if (leavesConnection && !this.#isLeft && this.#socket.writableLength === 0) this.#rest()
      else this.close()
      exchange.succeed()
    }
  }

  #takeExchange(): Exchange | null {
    const exchange = this.#exchange
    this.#exchange = null
    if (exchange !== null) this.#owner.onExchangeOver()
    return exchange
  }

  #rest(): void {
    if (this.#phase === 'closed') return
    const keptMs = keptOpenMs(this.#parser.head?.keepAlive, this.#owner.idleMs)
    if (keptMs <= 0) {
      this.close()
      return
    }
    this.resume()
    this.#phase = 'idle'
    this.idleSince = performance.now()
    this.idleUntil = this.idleSince + keptMs
    this.#owner.onIdle(this)
  }
}
