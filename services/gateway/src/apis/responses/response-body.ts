import { memberOf } from '../../body/json-text.ts'
import { type BodyReading, bodyReading } from '../../relay/body-shape.ts'
import { concealedJson, type Hidden } from '../../relay/conceal.ts'
import { type IssuedIds, issuedIds } from '../../relay/issued-ids.ts'
import { JsonBody } from '../../relay/json-body.ts'
import { type ListedValue, type MemberScan, parsedValue } from '../../relay/member-scan.ts'
import { dataIn } from '../../relay/server-sent-events.ts'
import { ofText } from '../../usage/reported-counts.ts'
import { unserved } from '../../usage/usage.ts'
import { hostedCalls } from './hosted-calls.ts'
import { readResponsesUsage } from './responses-usage.ts'

const members = ['id', 'type', 'status', 'action.type'] as const

/**
 * The paths of what is read of the items of a response's output.
 *
 * @param output the path of the list, such as `output`
 */
export const outputPaths = (output: string): string[] => members.map((member) => `${output}.*.${member}`)

/** What is read of one item. */
export interface OutputItem {
  id?: unknown
  type?: unknown
  status?: unknown
  /** The type of its action. */
  action?: unknown
}

/** Gathers the items of a response's output, in order. Items without any of the members that are read are left out. */
export function outputItems(listed: readonly ListedValue[]): OutputItem[] {
  const items: OutputItem[] = []
  let last = -1
  for (const { path, item, text } of listed) {
    if (item !== last) items.push({})
    last = item
    const found = items.at(-1)!
    const value = parsedValue(text)
    if (path.endsWith('.id')) found.id = value
    else if (path.endsWith('.status')) found.status = value
    else if (path.endsWith('.action.type')) found.action = value
    else found.type = value
  }
  return items
}

/**
 * Replaces what the error of a failed response must not have.
 *
 * @param event `response.failed`
 * @returns the same if it has nothing of it
 */
export function concealFailedResponse(event: Buffer, hidden: Hidden): Buffer {
  const data = dataIn(event)
  if (!concealFailure(memberOf(data, 'response'), hidden)) return event
  return Buffer.from(`event: response.failed\ndata: ${JSON.stringify(data)}\n\n`)
}

/** The same for a parsed response. @returns whether it was changed */
function concealFailure(response: unknown, hidden: Hidden): boolean {
  const error = memberOf(response, 'error')
  if (error == null) return false
  const json = concealedJson(error, hidden)
  if (json === JSON.stringify(error)) return false
  Object.assign(response as object, { error: json === null ? generalError : JSON.parse(json) })
  return true
}

const generalError = { code: 'server_error', message: 'The upstream provider failed.' }

// A response that failed has an error, too. It is the provider's answer.
const readingOf = (object: string): BodyReading =>
  bodyReading({
    answer: `object=${object}`,
    values: ['status', 'error', 'service_tier', 'tool_usage', 'id', ...outputPaths('output')]
  })

/** A response, and a compacted conversation. */
const readings = { response: readingOf('response'), 'response.compaction': readingOf('response.compaction') }

/** A single body of the Responses API on its way to the client. */
export class ResponseBody extends JsonBody {
  /**
   * @param length of the body in bytes, -1 if unknown
   * @param object what the body is
   */
  constructor(length: number, object: keyof typeof readings = 'response') {
    super(readings[object], readText, length)
  }

  override push(bytes: Buffer): readonly Buffer[] {
    const passing = super.push(bytes)
    if (this.#isUnserved) this.usage = { ...unserved }
    return passing
  }

  protected override countCalls(): ReadonlyMap<string, number> {
    return hostedCalls(outputItems(this.shape.listed), this.shape.valueOf('tool_usage'))
  }

  override get issued(): IssuedIds | null {
    return this.isWhole ? issuedIds(this.shape.valueOf('id'), outputItems(this.shape.listed)) : null
  }

  override get failure(): unknown {
    return isFailed(this.shape) ? (this.shape.valueOf('error') ?? null) : null
  }

  override conceal(body: Buffer, hidden: Hidden): Buffer {
    const response = JSON.parse(body.toString())
    return concealFailure(response, hidden) ? Buffer.from(JSON.stringify(response)) : body
  }

  /** Whether the response failed without output. Then it costs nothing. */
  get #isUnserved(): boolean {
    return this.usage === null && this.isWhole && isFailed(this.shape) && this.shape.listed.length === 0
  }
}

const isFailed = (body: MemberScan): boolean => body.values.get('status') === '"failed"'

const readText = ofText((usage) => readResponsesUsage({ usage }))
