import type { Answer } from './answer.ts'
import type { Exchange } from './exchange.ts'
import type { Behaviour } from './model-name.ts'

/** Directives that end a stream early. */
const endings = ['reset-after', 'end-after', 'stall-after', 'error-after', 'fail-after'] as const

const jsonHead = { 'content-type': 'application/json' }
const streamHead = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }

// Without a pause, a fast reader would block the event loop.
const eventsPerTurn = 64

/**
 * Sends an answer as the model name requests.
 *
 * @param paceMs the default delay between the events of a stream
 */
export async function respond(exchange: Exchange, answer: Answer, behaviour: Behaviour, paceMs: number): Promise<void> {
  await exchange.wait(behaviour['first-byte-ms'] ?? 0)
  if (behaviour.hang === true) return exchange.untilDisconnected()
  if (behaviour.status !== undefined) return sendStatus(exchange, behaviour.status, behaviour['retry-after'])
  if (behaviour['reset-after'] === 0) return exchange.reset()
  if (exchange.record.stream && answer.events !== null) {
    const pace = behaviour['flood-mb'] === undefined ? (behaviour['pace-ms'] ?? paceMs) : 0
    return sendStream(exchange, answer, answer.events(), behaviour, pace)
  }
  return sendWhole(exchange, answer, behaviour)
}

async function sendStatus(exchange: Exchange, status: number, retryAfter: number | undefined): Promise<void> {
  const defaultSeconds = status === 429 || status === 503 ? 1 : undefined
  const seconds = retryAfter ?? defaultSeconds
  const { dialect, record } = exchange
  const body = dialect.errorBody(dialect.errorForStatus(status), record.id)
  await exchange.sendJson(status, body, seconds === undefined ? {} : retryAfterHead(seconds))
}

function retryAfterHead(seconds: number): Record<string, string> {
  return { 'retry-after': String(seconds) }
}

async function sendStream(
  exchange: Exchange,
  answer: Answer,
  events: ReturnType<NonNullable<Answer['events']>>,
  behaviour: Behaviour,
  paceMs: number
): Promise<void> {
  const { hiddenTokens, completionTokens } = answer
  const stopAfter = endings.map((directive) => behaviour[directive]).find((after) => after !== undefined)
  if (behaviour['bills-aborted'] === true) exchange.billsAborted(completionTokens)
  exchange.begin(200, streamHead)
  exchange.produce(hiddenTokens)
  await exchange.wait(behaviour['think-ms'] ?? 0)
  let sent = 0
  for (const { data, tokens } of events) {
    if (sent === stopAfter) return endEarly(exchange, answer, behaviour, sent)
    if (sent > 0) await exchange.wait(paceMs)
    if (exchange.disconnected.aborted) return
    await exchange.writeEvent(data, tokens)
    sent += 1
    if (behaviour.garbage === true) {
      await exchange.write('data: {"choices":[{"delta":\u0000\n\n')
      return exchange.end()
    }
    if (sent % eventsPerTurn === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  if (sent === stopAfter) return endEarly(exchange, answer, behaviour, sent)
  await exchange.write(exchange.dialect.streamEnd)
  exchange.end()
}

async function sendWhole(exchange: Exchange, answer: Answer, behaviour: Behaviour): Promise<void> {
  const { completionTokens } = answer
  if (behaviour.garbage === true) {
    exchange.begin(200, jsonHead)
    await exchange.write('<html><body>502 Bad Gateway</body></html>', completionTokens)
    return exchange.end()
  }
  if (behaviour['fail-after'] !== undefined && answer.failure !== undefined) {
    return exchange.sendJson(200, answer.failure.whole())
  }
  if ('error-after' in behaviour || 'fail-after' in behaviour) return sendStatus(exchange, 500, undefined)
  const isBroken = ['reset-after', 'end-after', 'stall-after'].some((directive) => directive in behaviour)
  if (!isBroken) return exchange.sendJson(200, answer.whole(), {}, completionTokens)
  const text = JSON.stringify(answer.whole())
  exchange.begin(200, jsonHead)
  await exchange.write(text.slice(0, text.length / 2), completionTokens)
  return endEarly(exchange, answer, behaviour, 0)
}

async function endEarly(exchange: Exchange, answer: Answer, behaviour: Behaviour, sent: number): Promise<void> {
  if (behaviour['reset-after'] !== undefined) return exchange.reset()
  const fails = behaviour['fail-after'] !== undefined
  if (fails || behaviour['error-after'] !== undefined) {
    const failure = fails ? answer.failure?.event(sent) : undefined
    await exchange.writeEvent(failure ?? exchange.dialect.errorEvent(sent, exchange.record.id))
    return exchange.end()
  }
  if (behaviour['end-after'] !== undefined) return exchange.end()
  return exchange.untilDisconnected()
}
