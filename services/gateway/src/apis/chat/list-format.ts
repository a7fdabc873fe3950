import { openaiErrors } from '../../http/error-format.ts'
import type { AnswerFormat } from '../../relay/answer-format.ts'
import { showsUsage } from '../../relay/forwarded-body.ts'
import { JsonBody } from '../../relay/json-body.ts'
import { describeRefusal } from '../../relay/read-refusal.ts'
import { ReceivedText } from '../../tokens/received-text.ts'
import { ofText } from '../../usage/reported-counts.ts'
import { largerUsage, sumOfUsage } from '../../usage/usage.ts'
import { AnswerShape } from './answer-shape.ts'
import { readUsage } from './chat-usage.ts'
import { EventStream } from './event-stream.ts'

const readText = ofText(readUsage)

/**
 * The format of chat completions, legacy completions and embeddings.
 *
 * @param list the member of a single body that holds the answers or embeddings
 * @param words the member of a stream event that holds the model's words
 */
export const listFormat = (list: 'choices' | 'data', words: string): AnswerFormat => ({
  newBody: (_asked, length) => new JsonBody(new AnswerShape(list), readText, length),
  newEvents(asked, { upstream }) {
    const { answers } = asked
    // With several answers, events of different answers alternate; `choices` also tells which answer each belongs to.
    const received = new ReceivedText(answers > 1 ? 'choices' : words)
    const addUsage = upstream.reportsUsageByEvent ? sumOfUsage : largerUsage
    return new EventStream(showsUsage(asked), received, answers, addUsage)
  },
  errors: openaiErrors,
  refusal: describeRefusal
})
