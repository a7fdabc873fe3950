import type { AnswerHandler, CallController, UpstreamCall } from '../upstream-pool.ts'

/** The part of a connection that its exchange uses. */
export interface ExchangeConnection {
  abandon(reason: Error): void
  leave(reason: Error): void
  pause(): void
  resume(): void
}

/** One call and its answer. After its end, its methods for the handler have no effect. */
export class Exchange implements CallController {
  readonly handler: AnswerHandler
  /** null once it is sent. */
  call: UpstreamCall | null
  /** null before the start and after the end. */
  connection: ExchangeConnection | null = null
  #hasStarted = false

  constructor(call: UpstreamCall, handler: AnswerHandler) {
    this.call = call
    this.handler = handler
  }

  start(connection: ExchangeConnection): void {
    this.connection = connection
    this.#hasStarted = true
    this.handler.onRequestStart(this)
  }

  abort(reason: Error): void {
    this.connection?.abandon(reason)
  }

  leave(reason: Error): void {
    this.connection?.leave(reason)
  }

  pause(): void {
    this.connection?.pause()
  }

  resume(): void {
    this.connection?.resume()
  }

  succeed(): void {
    this.connection = null
    try {
      this.handler.onResponseEnd(this)
    } catch (error) {
      this.handler.onResponseError(this, error as Error)
    }
  }

  fail(error: Error): void {
    this.connection = null
    this.call = null
    this.handler.onResponseError(this.#hasStarted ? this : null, error)
  }
}
