import type { RefusalReason } from './read-refusal.ts'

/**
 * Codes and types for an account without credit, or at its spending limit: OpenAI (429 and 400), Moonshot (429,
 * MoonshotAI/kimi-code#1857), Alibaba (400), Anthropic (402).
 */
const codes: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'credit_balance_exhausted',
  'organization_spend_limit_exceeded',
  'organization_usage_limit_exceeded',
  'project_spend_limit_exceeded',
  'billing_hard_limit_reached',
  'billing_not_active',
  'exceeded_current_quota_error',
  'arrearage',
  'billing_error'
])
/** Anthropic sends only this message, with status 400 (anthropics/anthropic-sdk-typescript#618). */
const anthropicMessage = /^(?:Your credit balance is too low|You have reached your specified API usage limits)\b/
/** xAI sends only these messages, with 403 and 429 (continuedev/continue#10373, #12670). */
const xaiMessage = /\b(?:run out of credits|used all available credits|doesn't have any credits)\b/

/** Whether the operator's account at the provider has no credit. Only the operator can change that. */
export function isOutOfCredit(status: number, { code, type, message }: RefusalReason): boolean {
  if (codes.has((code ?? '').toLowerCase()) || codes.has((type ?? '').toLowerCase())) return true
  if (message === null) return false
  return status === 400
    ? anthropicMessage.test(message)
    : (status === 403 || status === 429) && xaiMessage.test(message)
}
