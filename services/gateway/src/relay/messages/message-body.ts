import { type MessageBlock, resultCalls } from '../../usage/hosted-calls.ts'
import { readMessagesUsage } from '../../usage/messages-usage.ts'
import { ofText } from '../../usage/usage-text.ts'
import { JsonBody } from '../json-body.ts'
import { type MemberScan, parsedValue } from '../typed/member-scan.ts'
import { type BodyReading, ObjectShape } from '../typed/object-shape.ts'

const [blockType, contentType] = ['content.*.type', 'content.*.content.type']

const isError = (body: MemberScan): boolean => body.valueOf('type') === 'error' || body.valueOf('error') != null

const message: BodyReading = {
  paths: ['type', 'usage', 'error', 'model', blockType, contentType],
  usage: 'usage',
  isAnswer: (body) => body.valueOf('type') === 'message',
  isError
}

const readText = ofText(readMessagesUsage)

/** A single body of Anthropic's Messages API on its way to the client. */
export class MessageBody extends JsonBody {
  readonly #shape: ObjectShape

  /** @param length of the body in bytes, -1 if unknown */
  constructor(length: number) {
    const shape = new ObjectShape(message)
    super(shape, readText, length)
    this.#shape = shape
  }

  /** Some providers leave `server_tool_use` out of the usage, although the message has results. */
  protected override countCalls(): ReadonlyMap<string, number> {
    const blocks = new Map<number, MessageBlock>()
    for (const { path, item, text } of this.#shape.members.listed) {
      const block = blocks.get(item) ?? {}
      blocks.set(item, block)
      if (path === blockType) block.type = parsedValue(text)
      else block.content = parsedValue(text)
    }
    return resultCalls(blocks.values())
  }
}
