import { memberOf } from '../../body/json-text.ts'
import type { MemberScan } from '../../relay/member-scan.ts'
import { prepareSearch } from '../../relay/searched-members.ts'
import { TypedEvents } from '../../relay/typed-events.ts'
import { addCalls } from '../../usage/reported-counts.ts'
import { billedResult, mergeMessagesUsage, readMessagesUsage } from './messages-usage.ts'

const search = prepareSearch({
  values: [
    'type',
    'index',
    'message.usage',
    'content_block',
    'content_block.type',
    'content_block.content.type',
    'delta.stop_reason',
    'usage',
    'error'
  ]
})

/** Reads the stream of a message (Anthropic's Messages API) on its way to the client. */
export class MessagesEvents extends TypedEvents {
  /** Everything that the events report of the usage. */
  #reported: unknown = null
  /** Whether an event reported the output. The number in `message_start` is only a placeholder. */
  #isOutputReported = false
  /** Whether the model has stopped, and reported its output. */
  #isStopped = false
  /** Whether content followed the last report of the output. */
  #hasMore = false
  #isDone = false
  /** Results of the provider's tools that cost a fee, by the type of tool. */
  readonly #calls = new Map<string, number>()

  constructor() {
    super(search)
  }

  get isUsageFinal(): boolean {
    return this.#isStopped && !this.#hasMore
  }

  get hasWordsAfterUsage(): boolean {
    return this.usage !== null && (this.#isOutputReported ? this.#hasMore : this.received.size > 0)
  }

  /** Whether `message_stop` arrived. */
  get isDone(): boolean {
    return this.#isDone
  }

  get isWhole(): boolean {
    return this.#isDone && !this.hasFailed
  }

  protected mayMatter(text: string): boolean {
    return (
      text.includes('message_') ||
      text.includes('block_start') ||
      text.includes('rror') ||
      (this.#isOutputReported && text.includes('content_'))
    )
  }

  /** The words of a block's beginning are read with it. The message's own events have none. */
  protected override hasWords(type: unknown): boolean {
    return typeof type !== 'string' || type === 'content_block_delta'
  }

  protected read(type: unknown, event: MemberScan): boolean {
    switch (type) {
      case 'message_start':
        this.#report(event.valueOf('message.usage'))
        break
      case 'message_delta':
        this.#readDelta(event)
        break
      case 'content_block_start':
        this.#readBlock(event)
        this.#hasMore = true
        break
      case 'content_block_delta':
        this.#hasMore = true
        break
      case 'message_stop':
        this.#isDone = true
        break
      default:
        // Some providers send the errors of OpenAI's API.
        return type !== 'error' && event.valueOf('error') == null
    }
    return true
  }

  #readDelta(event: MemberScan): void {
    const usage = event.valueOf('usage')
    this.#isOutputReported ||= typeof memberOf(usage, 'output_tokens') === 'number'
    this.#report(usage)
    this.#hasMore = false
    this.#isStopped = this.#isOutputReported && event.valueOf('delta.stop_reason') != null
  }

  #report(usage: unknown): void {
    this.#reported = mergeMessagesUsage(this.#reported, usage)
    const read = readMessagesUsage(this.#reported)
    if (read === null) return
    this.usage = this.#isOutputReported ? read : { ...read, completionTokens: null, reasoningTokens: 0 }
    addCalls(this.usage, this.#calls)
  }

  /** A block may begin with words, such as the name of a tool. It may also be the result of one. */
  #readBlock(event: MemberScan): void {
    const block = event.valueOf('content_block')
    if (block !== undefined) this.received.addWords({ [String(event.valueOf('index'))]: block })
    else this.received.skip(event.bytes)
    const tool = billedResult({
      type: event.valueOf('content_block.type'),
      content: event.valueOf('content_block.content.type')
    })
    if (tool === null) return
    this.#calls.set(tool, (this.#calls.get(tool) ?? 0) + 1)
    if (this.usage !== null) addCalls(this.usage, this.#calls)
  }
}
