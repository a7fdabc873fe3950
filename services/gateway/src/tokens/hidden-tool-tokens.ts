import type { BoundedBody } from './prompt-bound.ts'

/**
 * Tokens that Anthropic's API adds to the prompt of a request with tools, and for each tool that Anthropic has defined. The figures are
 * at least those of its page on prices (November 2026). It names none for the memory tool.
 */
const perRequest = 1024
const perTool: ReadonlyArray<readonly [prefix: string, tokens: number]> = [
  ['bash_', 1024],
  ['text_editor_', 1024],
  ['memory_', 4096],
  ['computer_', 8192],
  ['browser_', 12_288]
]

/** The same for the tools that OpenAI has defined. It publishes no figures, so they are those of Anthropic's tools of this kind. */
const perOpenaiTool: ReadonlyMap<string, number> = new Map([
  ['apply_patch', 1024],
  ['local_shell', 1024],
  ['computer', 8192],
  ['computer_use_preview', 8192]
])

/** Bounds the tokens that a provider adds for the tools of a response, besides their bytes in the body. */
export function hiddenResponseTokens({ labels }: Pick<BoundedBody, 'labels'>): number {
  let tokens = 0
  for (const [label, count] of labels) tokens += count * (perOpenaiTool.get(label) ?? 0)
  return tokens
}

/** Bounds the tokens that a provider adds for the tools of a message, besides their bytes in the body. */
export function hiddenToolTokens({ spans, labels }: Pick<BoundedBody, 'spans' | 'labels'>): number {
  let tokens = spans.has('tools') ? perRequest : 0
  for (const [label, count] of labels) {
    for (const [prefix, each] of perTool) if (label.startsWith(prefix)) tokens += count * each
  }
  return tokens
}
