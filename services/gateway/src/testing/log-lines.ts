import pino, { type Logger } from 'pino'

/** The one line that the log has of a request. */
export type RequestLine = Record<string, unknown> & {
  reqId: string
  status: number
  code: string | null
  promptTokens: number
  completionTokens: number
  estimated: boolean
  costNanos: number
  clientGone: boolean
}

export interface LogLines {
  log: Logger
  /** Resolves with the line of a request, once it is settled. */
  of(requestId: string | null | undefined): Promise<RequestLine>
}

/** A log whose lines a test awaits. */
export function collectLogLines(): LogLines {
  const lines = new Map<string, RequestLine>()
  const waiting: Array<() => void> = []
  function write(text: string): void {
    const line = JSON.parse(text) as RequestLine & { msg: string }
    if (line.msg !== 'request') return
    lines.set(line.reqId, line)
    for (const look of waiting.splice(0)) look()
  }
  return {
    log: pino({ level: 'info' }, { write }),
    async of(requestId) {
      for (;;) {
        const line = lines.get(requestId ?? '')
        if (line !== undefined) return line
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    }
  }
}
