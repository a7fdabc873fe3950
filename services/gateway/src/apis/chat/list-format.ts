import { openaiErrors } from '../../http/error-format.ts'
import type { AnswerFormat } from '../../relay/answer-format.ts'
import { type BodyReading, bodyReading } from '../../relay/body-shape.ts'
import { showsUsage } from '../../relay/forwarded-body.ts'
import { JsonBody } from '../../relay/json-body.ts'
import { describeRefusal } from '../../relay/read-refusal.ts'
import { ReceivedText } from '../../tokens/received-text.ts'
import { ofText } from '../../usage/reported-counts.ts'
import { largerUsage, sumOfUsage } from '../../usage/usage.ts'
import { readUsage } from './chat-usage.ts'
import { EventStream } from './event-stream.ts'

const readText = ofText(readUsage)

/**
 * The format of chat completions, legacy completions and embeddings.
 *
 * @param list the member of a single body that holds the answers or embeddings
 * @param words the member of a stream event that holds the model's words
 */
export function listFormat(list: string, words: string): AnswerFormat {
  const body = listBody(list)
  return {
    newBody: (_asked, length) => new JsonBody(body, readText, length),
    newEvents(asked, call) {
      const { answers, showsUsageCost } = asked
      // With several answers, events of different answers alternate; `choices` also tells which answer each belongs to.
      const received = new ReceivedText(answers > 1 ? 'choices' : words)
      const addUsage = call.upstream.reportsUsageByEvent ? sumOfUsage : largerUsage
      const costOf = showsUsageCost ? () => call.costOfWhole() : null
      return new EventStream(showsUsage(asked), received, answers, addUsage, costOf)
    },
    errors: openaiErrors,
    refusal: describeRefusal
  }
}

/** What is read of a single body. Its choices may report errors, too (OpenRouter). @param list the name of the list */
export const listBody = (list: string): BodyReading =>
  bodyReading({
    answer: `${list}.*`,
    errors: ['error', 'object=error', `${list}.*.error`, `${list}.*.finish_reason=error`],
    isUsageEnough: true,
    values: ['service_tier']
  })
