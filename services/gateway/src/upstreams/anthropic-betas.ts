/**
 * Betas of Anthropic's API (the header `anthropic-beta`) that every upstream with this API gets. None of them changes a
 * price, calls another model or tool of the provider, or refers to state there. The request schema still decides which
 * members a request may have.
 */
export const standardBetas: ReadonlySet<string> = new Set([
  'advanced-tool-use-2025-11-20',
  'claude-code-20250219',
  'computer-use-2024-10-22',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-management-2025-06-27',
  'effort-2025-11-24',
  'extended-cache-ttl-2025-04-11',
  'fine-grained-tool-streaming-2025-05-14',
  'interleaved-thinking-2025-05-14',
  // Without the member `thread`, it does nothing.
  'message-threads-2026-08-12',
  // More effort is more output, which the limit of the request bounds.
  'mid-conversation-output-config-2026-07-01',
  // Roles have no price.
  'mid-conversation-system-2026-04-07',
  'mid-conversation-system-clear-at-2026-08-21',
  'model-context-window-exceeded-2025-08-26',
  'output-128k-2025-02-19',
  'output-300k-2026-03-24',
  // What Claude Code calls mid-conversation-output-config.
  'per-turn-control-2026-07-01',
  'prompt-caching-2024-07-31',
  'prompt-caching-scope-2026-01-05',
  'redact-thinking-2026-02-12',
  'structured-outputs-2025-11-13',
  'task-budgets-2026-03-13',
  // They only remove earlier thinking from the prompt.
  'thinking-binding-controls-2026-08-01',
  'thinking-display-updates-2026-08-18',
  'thinking-token-count-2026-05-13',
  'token-counting-2024-11-01',
  'token-efficient-tools-2025-02-19',
  'tool-examples-2025-10-29'
])

/** The betas that all of some upstreams accept besides the standard ones, because a request may fail over. */
export function commonBetas(lists: ReadonlyArray<ReadonlySet<string>>): ReadonlySet<string> {
  const [first, ...others] = lists
  return new Set([...(first ?? [])].filter((beta) => others.every((list) => list.has(beta))))
}
