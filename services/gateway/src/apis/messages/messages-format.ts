import { messagesErrors, messagesErrorType } from '../../http/error-format.ts'
import type { AnswerFormat, RefusalContext } from '../../relay/answer-format.ts'
import { bodyReading } from '../../relay/body-shape.ts'
import { concealedJson } from '../../relay/conceal.ts'
import { JsonBody } from '../../relay/json-body.ts'
import { parsedValue } from '../../relay/member-scan.ts'
import type { RefusalReason } from '../../relay/read-refusal.ts'
import { ofText } from '../../usage/reported-counts.ts'
import { MessagesEvents } from './messages-events.ts'
import { type MessageBlock, readMessagesUsage, resultCalls } from './messages-usage.ts'

const [blockType, contentType] = ['content.*.type', 'content.*.content.type']

const message = bodyReading({
  answer: 'type=message',
  errors: ['error'],
  values: [blockType, contentType]
})

const readText = ofText(readMessagesUsage)

/** A single body of Anthropic's Messages API on its way to the client. */
class MessageBody extends JsonBody {
  /** @param length of the body in bytes, -1 if unknown */
  constructor(length: number) {
    super(message, readText, length)
  }

  /** Some providers leave `server_tool_use` out of the usage, although the message has results. */
  protected override countCalls(): ReadonlyMap<string, number> {
    const blocks = new Map<number, MessageBlock>()
    for (const { path, item, text } of this.shape.listed) {
      const block = blocks.get(item) ?? {}
      blocks.set(item, block)
      if (path === blockType) block.type = parsedValue(text)
      else block.content = parsedValue(text)
    }
    return resultCalls(blocks.values())
  }
}

/** The format of messages (Anthropic's Messages API). */
export const messagesFormat: AnswerFormat = {
  newBody: (_asked, length) => new MessageBody(length),
  newEvents: () => new MessagesEvents(),
  errors: messagesErrors,
  refusal: describeMessagesRefusal
}

/**
 * Writes the body that explains a refusal to a client of Anthropic's API. It has the provider's message unchanged,
 * because clients recover by it, and all members of an error.
 *
 * @param context with what it must not have. If it cannot be written without, the client gets a general error
 */
function describeMessagesRefusal(
  { message, type, code, members }: RefusalReason,
  { status, requestId, ...hidden }: RefusalContext
): { code: string; body: string } {
  const general = { type: messagesErrorType(status), message: 'The upstream provider refused the request.' }
  const error = { ...members, type: type ?? general.type, message: message ?? general.message }
  const body = concealedJson({ type: 'error', error, request_id: requestId }, hidden)
  if (body !== null) return { code: code ?? error.type, body }
  return { code: general.type, body: JSON.stringify({ type: 'error', error: general, request_id: requestId }) }
}
