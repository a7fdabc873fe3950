import { messagesErrors } from '../../http/messages-errors.ts'
import { readMessagesUsage } from '../../usage/messages-usage.ts'
import { ofText } from '../../usage/usage-text.ts'
import type { AnswerFormat } from '../answer-format.ts'
import { JsonBody } from '../json-body.ts'
import type { MemberScan } from '../typed/member-scan.ts'
import { type BodyReading, ObjectShape } from '../typed/object-shape.ts'
import { describeMessagesRefusal } from './describe-refusal.ts'
import { MessagesEvents } from './messages-events.ts'

const isError = (body: MemberScan): boolean => body.valueOf('type') === 'error' || body.valueOf('error') != null

const message: BodyReading = {
  paths: ['type', 'usage', 'error', 'model'],
  usage: 'usage',
  isAnswer: (body) => body.valueOf('type') === 'message',
  isError
}

const readText = ofText(readMessagesUsage)

/** The format of messages (Anthropic's Messages API). */
export const messagesFormat: AnswerFormat = {
  newBody: (_asked, length) => new JsonBody(new ObjectShape(message), readText, length),
  newEvents: () => new MessagesEvents(),
  errors: messagesErrors,
  refusal: describeMessagesRefusal
}
