import type { Exchange } from './exchange.ts'
import type { Behaviour } from './model-name.ts'

const dripMs = 50
/** What a wrong count reports. */
const oddNumbers = { text: '20 tokens', fraction: 1.5, negative: -20, zero: 0, one: 1 } as const

/**
 * Answers a request to count a prompt, in the way that `odd-count` asks for.
 *
 * @param counted the right answer
 */
export async function answerCount(
  exchange: Exchange,
  counted: object,
  { 'odd-count': odd }: Pick<Behaviour, 'odd-count'>
): Promise<void> {
  switch (odd) {
    case undefined:
      return exchange.sendJson(200, counted)
    case 'hang':
      return exchange.untilDisconnected()
    case 'drip':
      exchange.begin(200, { 'content-type': 'application/json' })
      for (; !exchange.disconnected.aborted; await exchange.wait(dripMs)) await exchange.write(' ')
      return
    case 'reset':
      return exchange.reset()
    case 'error':
      return exchange.sendJson(500, { error: { message: 'The counter failed.' } })
    case 'html':
      exchange.begin(200, { 'content-type': 'text/html' })
      await exchange.write('<!doctype html><title>Welcome</title>')
      return exchange.end()
    default:
      return exchange.sendJson(200, { ...counted, input_tokens: oddNumbers[odd] })
  }
}
