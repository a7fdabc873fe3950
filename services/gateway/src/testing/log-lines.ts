import pino, { type Logger } from 'pino'

/** The log line of a request. */
export interface RequestLine extends Record<string, unknown> {
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
  /** How many requests have a line. */
  readonly count: number
  /** Resolves with the line of a request, once it is settled. */
  of(requestId: string | null | undefined): Promise<RequestLine>
}

/** A log that collects its lines. */
export function collectLogLines(): LogLines {
  const lines = new Map<string, RequestLine>()
  const waiting: Array<() => void> = []
  function write(text: string): void {
    const line = JSON.parse(text) as RequestLine & { msg: string }
    if (line.msg !== 'request') return
    lines.set(line.reqId, line)
    for (const wake of waiting.splice(0)) wake()
  }
  return {
    log: pino({ level: 'info' }, { write }),
    get count() {
      return lines.size
    },
    async of(requestId) {
      for (;;) {
        const line = lines.get(requestId ?? '')
        if (line !== undefined) return line
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    }
  }
}
