import { hostedCalls } from '../../usage/hosted-calls.ts'
import { readResponsesUsage } from '../../usage/responses-usage.ts'
import { nothingUsed } from '../../usage/usage.ts'
import { ofText } from '../../usage/usage-text.ts'
import type { Hidden } from '../conceal.ts'
import { type IssuedIds, issuedIds } from '../issued-ids.ts'
import { JsonBody } from '../json-body.ts'
import { concealFailure } from './conceal-failed-response.ts'
import type { MemberScan } from './member-scan.ts'
import { type BodyReading, ObjectShape } from './object-shape.ts'
import { outputItems, outputPaths } from './output-items.ts'

const readingOf = (object: string): BodyReading => {
  const text = JSON.stringify(object)
  const isAnswer = (body: MemberScan): boolean => body.values.get('object') === text
  return {
    paths: [
      'object',
      'status',
      'error',
      'usage',
      'service_tier',
      'model',
      'tool_usage',
      'id',
      ...outputPaths('output')
    ],
    usage: 'usage',
    isAnswer,
    // A response that failed has an error, too. It is the provider's answer.
    isError: (body) => !isAnswer(body) && body.valueOf('error') != null
  }
}

/** A response, and a compacted conversation. */
const readings = { response: readingOf('response'), 'response.compaction': readingOf('response.compaction') }

/** A single body of the Responses API on its way to the client. */
export class ResponseBody extends JsonBody {
  readonly #shape: ObjectShape

  /**
   * @param length of the body in bytes, -1 if unknown
   * @param object what the body is
   */
  constructor(length: number, object: keyof typeof readings = 'response') {
    const shape = new ObjectShape(readings[object])
    super(shape, readText, length)
    this.#shape = shape
  }

  override push(bytes: Buffer): readonly Buffer[] {
    const passing = super.push(bytes)
    if (this.#isUnserved) this.usage = { ...nothingUsed }
    return passing
  }

  protected override countCalls(): ReadonlyMap<string, number> {
    const { members } = this.#shape
    return hostedCalls(outputItems(members.listed), members.valueOf('tool_usage'))
  }

  override get issued(): IssuedIds | null {
    const { members } = this.#shape
    return this.isWhole ? issuedIds(members.valueOf('id'), outputItems(members.listed)) : null
  }

  override get failure(): unknown {
    const { members } = this.#shape
    return isFailed(members) ? (members.valueOf('error') ?? null) : null
  }

  override conceal(body: Buffer, hidden: Hidden): Buffer {
    const response = JSON.parse(body.toString())
    return concealFailure(response, hidden) ? Buffer.from(JSON.stringify(response)) : body
  }

  /** Whether the response failed without output. Then it costs nothing. */
  get #isUnserved(): boolean {
    const { members } = this.#shape
    return this.usage === null && this.isWhole && isFailed(members) && members.listed.length === 0
  }
}

const isFailed = (body: MemberScan): boolean => body.values.get('status') === '"failed"'

const readText = ofText((usage) => readResponsesUsage({ usage }))
