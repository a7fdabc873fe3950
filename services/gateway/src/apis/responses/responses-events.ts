import type { Hidden } from '../../relay/conceal.ts'
import { type IssuedIds, issuedIds } from '../../relay/issued-ids.ts'
import { type MemberScan, maxValueBytes } from '../../relay/member-scan.ts'
import { prepareSearch } from '../../relay/searched-members.ts'
import { faultOfError } from '../../relay/server-sent-events.ts'
import { TypedEvents } from '../../relay/typed-events.ts'
import { eventWithCost } from '../../relay/usage-cost.ts'
import { wordsIn } from '../../tokens/words.ts'
import { addCalls } from '../../usage/reported-counts.ts'
import { largerUsage, unserved } from '../../usage/usage.ts'
import { hostedCalls, isHostedCall } from './hosted-calls.ts'
import { concealFailedResponse, type OutputItem, outputItems, outputPaths } from './response-body.ts'
import { readResponsesUsage } from './responses-usage.ts'

const search = prepareSearch({
  values: [
    'type',
    'error',
    'response.error',
    'response.usage',
    'response.service_tier',
    'response.tool_usage',
    'response.id',
    ...outputPaths('response.output'),
    'output_index',
    'item',
    'item.type',
    'item.status',
    'item.action.type'
  ]
})

const usageObject = prepareSearch({ values: [], span: 'response.usage' })

/**
 * Reads the events of the Responses API. A stream is whole after its last event: `response.completed`,
 * `response.incomplete` or `response.failed`. Only that event has the usage.
 */
export class ResponsesEvents extends TypedEvents {
  #isDone = false
  /** Bytes of words before the last event. */
  #sizeAtEnd = 0
  /** The same at the end of the last item. */
  #sizeAtItem = 0
  /** Whether the provider began to call a tool of its own. */
  #hasCalled = false
  /** The items that have ended, by which the provider's calls are counted if the last event lacks them. */
  readonly #hosted: OutputItem[] = []
  #number = -1
  #issued: IssuedIds | null = null
  readonly #hidden: () => Hidden
  readonly #costOf: (() => number | null) | null

  /**
   * @param hidden what the error of a failed response must not tell the client
   * @param costOf the cost if the stream ends now, for its usage; null if the client did not ask for it
   */
  constructor(hidden: () => Hidden, costOf: (() => number | null) | null = null) {
    super(search)
    this.#hidden = hidden
    this.#costOf = costOf
  }

  get isUsageFinal(): boolean {
    return this.usage !== null && !this.hasWordsAfterUsage
  }

  get hasWordsAfterUsage(): boolean {
    return this.usage !== null && this.received.hasWordsFrom(this.#sizeAtEnd)
  }

  get isDone(): boolean {
    return this.#isDone
  }

  get isWhole(): boolean {
    return this.#isDone && !this.hasFailed
  }

  override get hasWork(): boolean {
    return this.#hasCalled || super.hasWork
  }

  override get issued(): IssuedIds | null {
    return this.#issued
  }

  override get nextNumber(): number {
    return this.#number + 1
  }

  /** Events with a response repeat members of the request, which are not words of the model. */
  protected mayMatter(text: string): boolean {
    return text.includes('"response"') || text.includes('rror') || text.includes('output_item.')
  }

  protected override passesUnread(text: string): boolean {
    return beginnings.test(text)
  }

  protected override hasWords(type: unknown): boolean {
    return typeof type !== 'string' || type.endsWith('.delta')
  }

  protected override passed(text: string): void {
    const at = text.lastIndexOf(numberName)
    if (at >= 0) this.#number = Number.parseInt(text.slice(at + numberName.length, at + maxNumberAt), 10) || 0
  }

  protected read(type: unknown, event: MemberScan): boolean {
    // Some providers send an error without a type.
    if (type === 'error' || (type === undefined && event.valueOf('error') != null)) return false
    if (type === 'response.output_item.added') this.#hasCalled ||= isHostedCall(event.valueOf('item.type'))
    if (type === 'response.output_item.done') this.#readItem(event)
    if (type !== 'response.completed' && type !== 'response.incomplete' && type !== 'response.failed') return true
    const usage = readResponsesUsage({
      usage: event.valueOf('response.usage'),
      service_tier: event.valueOf('response.service_tier')
    })
    // A response that failed before any work costs nothing.
    const isUnserved = type === 'response.failed' && usage === null && !this.hasWork
    const items = outputItems(event.listed)
    if (usage !== null) {
      addCalls(usage, hostedCalls(items, event.valueOf('response.tool_usage')))
      addCalls(usage, hostedCalls(this.#hosted, null))
    }
    if (isUnserved) this.usage = unserved
    else if (usage !== null) this.usage = largerUsage(this.usage, usage)
    // Only the operator can repair it, so the client gets the gateway's error.
    if (type === 'response.failed' && faultOfError(event.valueOf('response.error')) !== null) return false
    this.#isDone = true
    this.#issued = issuedIds(event.valueOf('response.id'), items)
    this.#sizeAtEnd = this.received.size
    return true
  }

  protected override shown(type: unknown, event: Buffer): Buffer {
    if (type === 'response.failed') return concealFailedResponse(event, this.#hidden())
    const isLast = type === 'response.completed' || type === 'response.incomplete'
    const cost = isLast && this.#costOf !== null ? this.#costOf() : null
    return cost === null ? event : eventWithCost(event, usageObject, cost)
  }

  /** Some items have no deltas, such as calls of a shell or of a computer: all of their words come at their end. */
  #readItem(event: MemberScan): void {
    const type = event.valueOf('item.type')
    if (isHostedCall(type)) {
      this.#hosted.push({ type, status: event.valueOf('item.status'), action: event.valueOf('item.action.type') })
    }
    if (this.received.size === this.#sizeAtItem && type !== 'reasoning') {
      const words = wordsIn(event.valueOf('item'))
      if (event.bytes > maxValueBytes) this.received.skip(event.bytes)
      else if (words !== null) this.received.addWords({ [`item ${event.valueOf('output_index')}`]: words })
    }
    this.#sizeAtItem = this.received.size
  }
}

/** The first events repeat the request: they have neither words nor usage. */
const beginnings = /^event: response\.(created|in_progress|queued)\ndata: {"type":"response\.\1",/
const numberName = '"sequence_number":'
const maxNumberAt = numberName.length + 16
