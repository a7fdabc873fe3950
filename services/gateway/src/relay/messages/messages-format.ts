import { messagesErrors } from '../../http/messages-errors.ts'
import type { AnswerFormat } from '../answer-format.ts'
import { describeMessagesRefusal } from './describe-refusal.ts'
import { MessageBody } from './message-body.ts'
import { MessagesEvents } from './messages-events.ts'

/** The format of messages (Anthropic's Messages API). */
export const messagesFormat: AnswerFormat = {
  newBody: (_asked, length) => new MessageBody(length),
  newEvents: () => new MessagesEvents(),
  errors: messagesErrors,
  refusal: describeMessagesRefusal
}
