import type { Behaviour } from './model-name.ts'

/** The tier with which OpenAI's API serves a request: the directive `tier`, else the tier asked for. `fast` is `priority`. */
export function openaiTier(asked: unknown, { tier }: Behaviour): string {
  if (tier !== undefined) return tier
  if (typeof asked !== 'string' || asked === 'auto') return 'default'
  return asked === 'fast' ? 'priority' : asked
}
