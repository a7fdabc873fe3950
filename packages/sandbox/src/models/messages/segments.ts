import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import { invalidRequest } from '../api-error.ts'
import { readDimensions } from '../image-dimensions.ts'
import { type Block, blockImages, blockText } from './blocks.ts'
import type { ReadMessage } from './check-messages.ts'
import type { PromptRequest } from './request.ts'
import type { MessageTool } from './tools.ts'

export type Lifetime = '5m' | '1h'

/** A block of the prompt. Prompts that start with equal segments share their cache. */
export interface Segment {
  readonly content: string
  readonly tokens: number
  /** Set if the prompt is cached up to here. */
  readonly lifetime: Lifetime | null
}

const maxBreakpoints = 4
const tokensPerMessage = 4
/** The start of the answer. */
export const answerTokens = 3

/**
 * Splits a prompt into segments, in the order of its cache: tools, system, messages. The prompt's tokens are their sum and
 * `answerTokens`.
 *
 * @throws ApiError (400) for invalid breakpoints
 */
export function splitPrompt(
  tools: readonly MessageTool[],
  system: readonly Block[],
  messages: readonly ReadMessage[],
  automatic: PromptRequest['cache_control']
): Segment[] {
  const segments = [
    ...tools.map(({ cache_control, ...tool }) => segmentOf(tool, countTokens(JSON.stringify(tool)), cache_control)),
    ...system.map((block) => segmentOfBlock(block, 0)),
    ...messages.flatMap(({ role, blocks }) =>
      blocks.map((block, index) => segmentOfBlock({ role, ...block }, index === 0 ? tokensPerMessage : 0))
    )
  ]
  const last = segments.pop()
  if (last !== undefined) segments.push({ ...last, lifetime: last.lifetime ?? lifetimeOf(automatic) })
  checkBreakpoints(segments)
  return segments
}

function checkBreakpoints(segments: readonly Segment[]): void {
  const lifetimes = segments.flatMap(({ lifetime }) => lifetime ?? [])
  if (lifetimes.length > maxBreakpoints) {
    const message = `A maximum of ${maxBreakpoints} blocks with cache_control may be provided. Found ${lifetimes.length}.`
    throw invalidRequest(message, 'cache_control')
  }
  if (lifetimes.lastIndexOf('1h') > lifetimes.indexOf('5m') && lifetimes.includes('5m')) {
    const message = "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block."
    throw invalidRequest(message, 'cache_control')
  }
}

function segmentOfBlock(block: Block & { role?: string }, overhead: number): Segment {
  const images = blockImages(block).reduce((sum, url) => sum + imageTokens(url), 0)
  const { cache_control, ...content } = { cache_control: undefined, ...block }
  return segmentOf(content, overhead + countTokens(blockText(block)) + images, cache_control)
}

function segmentOf(content: object, tokens: number, control: PromptRequest['cache_control']): Segment {
  return { content: JSON.stringify(content), tokens, lifetime: lifetimeOf(control) }
}

function lifetimeOf(control: PromptRequest['cache_control']): Lifetime | null {
  return control === undefined || control === null ? null : (control.ttl ?? '5m')
}

const pixelsPerToken = 750
const maxImageTokens = 1600

/** Counts an image as in Anthropic's guide "Vision" (2026). An image of unknown size counts as the largest. */
function imageTokens(url: string): number {
  const size = readDimensions(url)
  if (size === null) return maxImageTokens
  return Math.min(Math.ceil((size[0] * size[1]) / pixelsPerToken), maxImageTokens)
}
